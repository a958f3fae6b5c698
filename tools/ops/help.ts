// Texts of help besides commander's lists of commands and flags.
import type { Command } from './command.ts'
import { isChange, wordFlags } from './flags.ts'

/** Command line that runs the tool. */
export const SELF = 'npm run ops --'

/** Summary of the program. */
export const SUMMARY = 'Calls of operators at the gateway: tables on a terminal, --json for scripts.'

/** First steps, and rules for every command. */
export const FIRST_STEPS = `
A partner comes in:
  ${SELF} applications create --name "Demo PMS" --contact-name Ada --contact-email ada@example.com --reason "contract 4711"
  ${SELF} applications approve app_… --reason "contract signed"
  ${SELF} connections create --application-id app_… --source-property-id prop_1 --external-property-id PMS-100 --environment sandbox --reason "pilot"
  ${SELF} connections transition con_… --to pilot --reason "pilot"
  ${SELF} credentials create con_… --type signing --reason "pilot"
In the morning:
  ${SELF} overview --all
  ${SELF} audit list --limit 20
A partner asks about a request:
  ${SELF} why 9f1c7a52-3b1e-4d5c-8a55-0d3f7f1f6b21

Address and token: those of the local stack (npm start; STATE_DIR chooses another folder, --read-only the
read-only token), or OPS_URL (http://host:port/ops/v1) and OPS_TOKEN (an operator's JWT) from the environment.
Scripts: npm run --silent ops -- … --json keeps npm's own lines out of the output.
Exit codes: 0 done, 1 refused by the service or not reachable, 2 not understood and nothing sent.
More: ${SELF} <noun> --help, ${SELF} <noun> <verb> --help`

/** A command line that works. */
const exampleOf = ({ noun, verb, example, path }: Command): string => {
  const words = example ?? (wordFlags({ path }).length > 0 ? `${noun.slice(0, 3)}_…` : '')
  return `${SELF} ${noun} ${verb} ${words}`.trimEnd()
}

/** Examples of a noun's commands. */
export const examplesOf = (commands: readonly Command[]): string =>
  `\nExamples:\n${commands.map((command) => `  ${exampleOf(command)}`).join('\n')}`

/** Example of a command, and the call that it makes. */
export const callOf = (command: Command): string => `
Example:
  ${exampleOf(command)}

Calls ${command.method} /ops/v1${command.path}; needs the role connectivity:${isChange(command) ? 'operate' : 'read'}.`

/** Hint after a mistake; `words` are noun and verb as far as known. */
export const hint = (...words: string[]): string => `See: ${[SELF, ...words, '--help'].join(' ')}`

/** Hint after a mistake in a command. */
export const hintOf = (command: Command): string =>
  `Example: ${exampleOf(command)}\n${hint(command.noun, command.verb)}`
