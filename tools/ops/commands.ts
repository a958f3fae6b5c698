// All commands as data: a new call of the operators' interface is a new entry in its noun's file.
import type { Command } from './command.ts'
import { applications } from './commands/applications.ts'
import { connections } from './commands/connections.ts'
import { callbacks } from './commands/callbacks.ts'
import { deadLetters } from './commands/dead-letters.ts'
import { credentials } from './commands/credentials.ts'
import { audit } from './commands/audit.ts'
import { requests, why } from './commands/requests.ts'
import { reservations } from './commands/reservations.ts'
import { overview } from './commands/overview.ts'
import { deliveries } from './commands/deliveries.ts'
import { portalLinks } from './commands/portal-links.ts'
import { productionRequests } from './commands/production-requests.ts'

/** Explanation of each noun, for the first page of help. */
export const nouns: Readonly<Record<string, string>> = {
  applications: "partners' software, approved by an operator",
  connections: 'a property assigned to an application',
  credentials: "a partner's keys and secrets, issued for a connection",
  'portal-links': "links with which partners' people sign in to the portal",
  'production-requests': 'requests of partners to go live',
  callbacks: 'addresses that receive reservation events',
  deliveries: 'events that have not arrived at their callback',
  reservations: 'what happened to a reservation on a connection',
  requests: "partners' requests of the last 14 days and their answers",
  why: 'a request by its correlation id: what happened, and what to do next',
  'dead-letters': 'messages that a service could not process',
  audit: 'every change, with its operator and reason',
  overview: 'all connections at a glance',
}

/** All commands, each with its noun. */
export const commands: readonly Command[] = Object.entries({
  applications,
  connections,
  credentials,
  'portal-links': portalLinks,
  'production-requests': productionRequests,
  callbacks,
  deliveries,
  reservations,
  requests,
  why,
  'dead-letters': deadLetters,
  audit,
  overview,
}).flatMap(([noun, list]) => list.map((command) => ({ flags: {}, ...command, noun })))
