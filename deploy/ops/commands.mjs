// All commands as data: a new call of the operators' interface is a new entry in its noun's file.
//
// A command: noun, verb, what it does, method, path with the {flag} that fills each place, its flags, an example.
// A list also has the noun of its answer and the columns of its table: heading and the fields to look in.
// A flag: `value` is how its value looks (absent: it is a switch), `says` what it means; `needed`, `oneOf`,
// `kind` (values.mjs), and `field`, its place in the body when that is not simply its name.
import { applications } from './commands/applications.mjs'
import { connections } from './commands/connections.mjs'
import { callbacks } from './commands/callbacks.mjs'
import { deadLetters } from './commands/dead-letters.mjs'
import { credentials } from './commands/credentials.mjs'
import { audit } from './commands/audit.mjs'
import { overview } from './commands/overview.mjs'
import { productionRequests } from './commands/production-requests.mjs'

/** Explanation of each noun, for the first page of help. */
export const nouns = {
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
export const commands = Object.entries({
  applications,
  connections,
  credentials,
  'production-requests': productionRequests,
  callbacks,
  'dead-letters': deadLetters,
  audit,
  overview,
}).flatMap(([noun, list]) => list.map((command) => ({ flags: {}, ...command, noun })))
