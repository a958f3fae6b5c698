// Help that suffices without a manual, made from the table of commands.
import type { Command, Flag, Flags } from './command.ts'
import { commands, nouns } from './commands.ts'
import { wordFlags } from './arguments.ts'
import { flagGroups, flagsOf, isChange } from './flags.ts'
import { aligned } from './table.ts'

/** Command line that runs the tool. */
export const SELF = 'npm run ops --'

const indented = (rows: readonly (readonly string[])[]): string[] => aligned(rows).map((line) => `  ${line}`)
const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', `${title}:`, ...lines]

const HEAD = `${SELF} <noun> <verb> [--flags]

Calls of operators at the gateway: tables on a terminal, --json for scripts.`

const TAIL = `
Address and token: those of the local stack (npm start; STATE_DIR chooses another folder, --read-only the
read-only token), or OPS_URL (http://host:port/ops/v1) and OPS_TOKEN (an operator's JWT) from the environment.
Scripts: npm run --silent ops -- … --json keeps npm's own lines out of the output.
Exit codes: 0 done, 1 refused by the service or not reachable, 2 not understood and nothing sent.
More: ${SELF} <noun> --help, ${SELF} <noun> <verb> --help`

const FIRST_STEPS = `
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
  ${SELF} why 9f1c7a52-3b1e-4d5c-8a55-0d3f7f1f6b21`

function generalHelp(): string[] {
  const rows = Object.entries(nouns).map(([noun, says]) => {
    const verbs = commands.filter((command) => command.noun === noun).map(({ verb }) => verb)
    return [noun, verbs.join(', '), says]
  })
  return [HEAD, '', ...indented(rows), FIRST_STEPS, TAIL]
}

const exampleOf = ({ noun, verb, example, path }: Command): string =>
  `  ${SELF} ${[noun, verb, example ?? (wordFlags({ path }).length > 0 ? `${noun.slice(0, 3)}_…` : '')].join(' ').trimEnd()}`

function nounHelp(noun: string): string[] {
  const own = commands.filter((command) => command.noun === noun)
  const rows = own.map(({ verb, does }) => [verb, does])
  return [
    `${SELF} ${noun} <verb> [--flags]: ${nouns[noun]}`,
    '',
    ...indented(rows),
    ...section('Examples', own.map(exampleOf)),
    '',
    `Flags of each: ${SELF} ${noun} <verb> --help`,
  ]
}

const flagRow = ([name, { value, says, needed }]: [string, Flag]): string[] => [
  `--${name}${value ? ` ${value}` : ''}`,
  `${says}${needed ? ' (needed)' : ''}`,
]

function usage(command: Command): string {
  const { noun, verb } = command
  const words = wordFlags(command)
  const needed = Object.entries(flagsOf(command)).filter(([name, flag]) => flag.needed && !words.includes(name))
  const parts = needed.map(([name, { value }]) => `--${name} ${value}`)
  return [SELF, noun, verb, ...words.map((word) => flagsOf(command)[word]?.value), ...parts, '[--flags]'].join(' ')
}

function commandHelp(command: Command): string[] {
  const { own, list, general } = flagGroups(command)
  const rows = (flags: Flags): string[][] => Object.entries(flags).map(flagRow)
  const all = aligned([...rows(own), ...rows(list), ...rows(general)]).map((line) => `  ${line}`)
  const words = wordFlags(command)
  return [
    usage(command),
    '',
    command.does,
    ...section('Flags', all),
    ...words.map(
      (word, index) => `${index === 0 ? '\n' : ''}The ${word} may be given as a word, as above, or as --${word}.`,
    ),
    ...section('Example', [exampleOf(command)]),
    '',
    `Calls ${command.method} /ops/v1${command.path}; needs the role connectivity:${isChange(command) ? 'operate' : 'read'}.`,
  ]
}

/** Topic of the help: a command, a noun, or everything. */
interface Topic {
  noun?: string | undefined
  command?: Command | undefined
}

/** Text of the help, with a line feed at its end. */
export function helpText({ noun, command }: Topic): string {
  const lines = command ? commandHelp(command) : noun ? nounHelp(noun) : generalHelp()
  return `${lines.join('\n')}\n`
}
