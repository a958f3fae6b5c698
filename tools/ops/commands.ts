// All commands as data: a new call of the operators' interface is a new entry in its noun's file.
import type { Command } from './command.ts'
import { applications } from './commands/applications.ts'
import { connections } from './commands/connections.ts'
import { callbacks } from './commands/callbacks.ts'
import { deadLetters } from './commands/dead-letters.ts'
import { credentials } from './commands/credentials.ts'
import { audit } from './commands/audit.ts'
import { overview } from './commands/overview.ts'
import { productionRequests } from './commands/production-requests.ts'

/** Explanation of each noun, for the first page of help. */
export const nouns: Readonly<Record<string, string>> = {
  applications: "partners' software, admitted by a person",
  connections: 'a property assigned to an application',
  credentials: 'what a partner signs in with, issued for a connection',
  'production-requests': 'partners who ask to go live',
  callbacks: 'where reservation events are delivered to',
  'dead-letters': 'messages that a service could not use',
  audit: 'every change, with who and why',
  overview: 'the morning look: all connections at a glance',
}

/** All commands, each with its noun. */
export const commands: readonly Command[] = Object.entries({
  applications,
  connections,
  credentials,
  'production-requests': productionRequests,
  callbacks,
  'dead-letters': deadLetters,
  audit,
  overview,
}).flatMap(([noun, list]) => list.map((command) => ({ flags: {}, ...command, noun })))
