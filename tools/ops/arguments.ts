// Parses a command line to a command and its values.
import { parseArgs } from 'node:util'
import type { Command, Flag, FlagValue, Values } from './command.ts'
import { commands, nouns } from './commands.ts'
import { flagsOf, parseOptions } from './flags.ts'
import { suggestion } from './nearest.ts'
import { UsageError } from './usage-error.ts'
import { isRepeatable, readValue } from './values.ts'

/** A command line that asks for help. */
export interface HelpWanted {
  help: true
  noun?: string | undefined
  command?: Command | undefined
  values?: undefined
}

/** A command line that is carried out. */
export interface CommandLine {
  help?: undefined
  command: Command
  values: Values
}

/** A parsed command line. */
export type Asked = HelpWanted | CommandLine

/** A flag on a command line, as util.parseArgs finds it. */
interface GivenFlag {
  name: string
  /** Absent after a switch, and when nothing follows. */
  value?: string | undefined
  /** Whether the value is written with =. */
  inlineValue?: boolean | undefined
}

/** Texts of the given flags, by name. */
type Texts = ReadonlyMap<string, readonly string[]>

/** Parsed words of a command line. */
interface Found {
  noun: string
  /** Absent when help about the noun is wanted. */
  command?: Command
  /** Words after the verb. */
  rest: string[]
}

const nameOf = ({ noun, verb }: Command): string => `${noun} ${verb}`

/** Flags that the words after the verb stand for, in this order: the ids in the path. */
export const wordFlags = ({ path }: Pick<Command, 'path'>): string[] =>
  [...path.matchAll(/\{(.+?)\}/g)].map(([, name = '']) => name)

/** Reads a command line, given without node and script. @throws UsageError */
export function readArguments(argv: string[]): Asked {
  const parsed = parseArgs({ args: argv, options: parseOptions, strict: false, allowPositionals: true, tokens: true })
  const options = parsed.tokens.filter((token) => token.kind === 'option')
  const [first, ...others] = parsed.positionals
  const help = first === 'help' || options.some(({ name }) => name === 'help')
  const words = first === 'help' ? others : parsed.positionals
  if (words.length === 0 && (help || argv.length === 0)) return { help: true }
  const { noun, command, rest } = findCommand(words, help)
  if (help || !command) return { help: true, noun, command }
  return { command, values: valuesOf(command, options, rest) }
}

function findCommand([noun, ...words]: string[], help: boolean): Found {
  if (noun === undefined) throw new UsageError(`Say what it is about: ${Object.keys(nouns).join(', ')}.`, '')
  const own = commands.filter((command) => command.noun === noun)
  if (own.length === 0) {
    throw new UsageError(`There is no "${noun}". ${suggestion(noun, Object.keys(nouns))}`, '')
  }
  const verbs = own.map((command) => command.verb)
  const [verb, ...rest] = own.length === 1 && mayStandAlone(own[0]!, words) ? [...verbs, ...words] : words
  if (verb !== undefined) return { noun, command: commandOf(own, noun, verb), rest }
  if (help) return { noun, rest }
  throw new UsageError(`Say what to do with ${noun}: ${verbs.join(', ')}.`, noun)
}

/** A noun with a single verb needs none: what follows is the verb itself or an id. */
const mayStandAlone = (only: Command, [first]: readonly string[]): boolean =>
  first === undefined || (first !== only.verb && wordFlags(only).length === 1)

/** The command of a noun, whose commands are `own`. */
function commandOf(own: readonly Command[], noun: string, verb: string): Command {
  const command = own.find((candidate) => candidate.verb === verb)
  if (command) return command
  const verbs = own.map((candidate) => candidate.verb)
  throw new UsageError(`${noun} has no verb "${verb}". ${suggestion(verb, verbs)}`, noun)
}

function valuesOf(command: Command, options: readonly GivenFlag[], rest: readonly string[]): Values {
  try {
    const given = withWords(command, rest, textsOf(command, options))
    checkNeeded(command, given)
    const flags = flagsOf(command)
    return Object.fromEntries([...given].map(([name, texts]) => [name, valueOf(name, flags[name], texts)])) as Values
  } catch (error) {
    if (error instanceof UsageError) error.hint ??= nameOf(command)
    throw error
  }
}

/** Texts by flag; checks that the command has the flag and that it is written correctly. */
function textsOf(command: Command, options: readonly GivenFlag[]): Texts {
  const flags = flagsOf(command)
  const given = new Map<string, string[]>()
  for (const option of options) {
    const { name, value } = option
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined
    if (!flag) {
      const near = suggestion(name, Object.keys(flags), (candidate) => `--${candidate}`)
      throw new UsageError(`${nameOf(command)} has no --${name}. ${near}`)
    }
    checkWritten(option, flag)
    if (given.has(name) && !isRepeatable(flag)) throw new UsageError(`--${name} is given twice.`)
    given.set(name, [...(given.get(name) ?? []), value ?? ''])
  }
  return given
}

/** A value that looks like a flag is treated as one, unless it is written with = (`--reason=-1`). */
function checkWritten({ name, value, inlineValue }: GivenFlag, flag: Flag): void {
  if (!flag.value && value !== undefined) throw new UsageError(`--${name} takes no value.`)
  if (!flag.value) return
  const isMissing = value === undefined || (!inlineValue && value.startsWith('-'))
  if (isMissing) throw new UsageError(`--${name} needs a value: --${name} ${flag.value}`)
}

/** `show app_…` is `show --id app_…`. */
function withWords(command: Command, words: readonly string[], given: Texts): Texts {
  const flags = namedByWords(command, words)
  if (words.length > flags.length) {
    throw new UsageError(`"${words.at(-1)}" is one word too many; put texts with spaces in quotes.`)
  }
  const named = words.map((word, index): [string, string[]] => [flags[index] ?? '', [word]])
  const twice = named.find(([flag]) => given.has(flag))
  if (twice) throw new UsageError(`The ${twice[0]} is given twice: "${twice[1]}" and --${twice[0]}.`)
  return new Map([...given, ...named])
}

/** Flags that words stand for; a part that may be left out is not among them unless the first word is one of its values. */
function namedByWords(command: Command, words: readonly string[]): string[] {
  const { oneOfPath } = command
  const all = wordFlags(command)
  if (!oneOfPath || words.length >= all.length || oneOfPath.values.includes(words[0] ?? '')) return all
  return all.filter((name) => name !== oneOfPath.flag)
}

function checkNeeded(command: Command, given: Texts): void {
  const missing = Object.entries(flagsOf(command)).filter(([name, { needed }]) => needed && !given.has(name))
  const others = missing.filter(([name]) => name !== 'reason')
  const said = others.map(([name, { value, says }]) => `--${name} ${value} (${says})`)
  const sentences = [
    ...(said.length > 0 ? [`Missing: ${said.join(', ')}.`] : []),
    ...(missing.length > others.length ? ['Every change goes into the audit with why: --reason "ticket 4711".'] : []),
  ]
  if (sentences.length > 0) throw new UsageError(sentences.join('\n'))
  const { needsOneOf } = command
  if (needsOneOf && !needsOneOf.some((name) => given.has(name))) {
    throw new UsageError(`Give at least one of ${needsOneOf.map((name) => `--${name}`).join(', ')}.`)
  }
  if (given.has('all') && given.has('limit')) throw new UsageError('Use either --all or --limit, not both.')
}

function valueOf(name: string, flag: Flag | undefined, texts: readonly string[]): FlagValue {
  if (!flag?.value) return true
  const values = texts.map((text) => readValue(name, flag, text))
  const [first = ''] = values
  return isRepeatable(flag) ? values.flat() : first
}
