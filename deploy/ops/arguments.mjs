// Parses a command line to a command and its values.
import { parseArgs } from 'node:util'
import { commands, nouns } from './commands.mjs'
import { flagsOf, parseOptions } from './flags.mjs'
import { suggestion } from './nearest.mjs'
import { UsageError } from './usage-error.mjs'
import { isRepeatable, readValue } from './values.mjs'

const nameOf = ({ noun, verb }) => `${noun} ${verb}`

/** Flags that the words after the verb stand for, in this order: the ids in the path. */
export const wordFlags = ({ path }) => [...path.matchAll(/\{(.+?)\}/g)].map(([, name]) => name)

/**
 * Reads a command line.
 * @param {string[]} argv without node and script
 * @returns `{ help: true, noun?, command? }` or `{ command, values }`
 * @throws UsageError
 */
export function readArguments(argv) {
  const parsed = parseArgs({ args: argv, options: parseOptions, strict: false, allowPositionals: true, tokens: true })
  const options = parsed.tokens.filter(({ kind }) => kind === 'option')
  const [first, ...others] = parsed.positionals
  const help = first === 'help' || options.some(({ name }) => name === 'help')
  const words = first === 'help' ? others : parsed.positionals
  if (words.length === 0 && (help || argv.length === 0)) return { help: true }
  const { noun, command, rest } = findCommand(words, help)
  if (help) return { help: true, noun, command }
  return { command, values: valuesOf(command, options, rest) }
}

function findCommand([noun, ...words], help) {
  if (noun === undefined) throw new UsageError(`Say what it is about: ${Object.keys(nouns).join(', ')}.`, '')
  const own = commands.filter((command) => command.noun === noun)
  if (own.length === 0) {
    throw new UsageError(`There is no "${noun}". ${suggestion(noun, Object.keys(nouns))}`, '')
  }
  const [verb, ...rest] = words.length === 0 && own.length === 1 ? [own[0].verb] : words
  if (verb === undefined && help) return { noun }
  const verbs = own.map((command) => command.verb)
  if (verb === undefined) throw new UsageError(`Say what to do with ${noun}: ${verbs.join(', ')}.`, noun)
  const command = own.find((candidate) => candidate.verb === verb)
  if (!command) throw new UsageError(`${noun} cannot "${verb}". ${suggestion(verb, verbs)}`, noun)
  return { noun, command, rest }
}

function valuesOf(command, options, rest) {
  try {
    const given = withWords(command, rest, textsOf(command, options))
    checkNeeded(command, given)
    return Object.fromEntries([...given].map(([name, texts]) => [name, valueOf(name, flagsOf(command)[name], texts)]))
  } catch (error) {
    if (error instanceof UsageError) error.hint ??= nameOf(command)
    throw error
  }
}

/** Texts by flag; checks that the command has the flag and that it is written correctly. */
function textsOf(command, options) {
  const flags = flagsOf(command)
  const given = new Map()
  for (const { name, value, inlineValue } of options) {
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined
    if (!flag) {
      const near = suggestion(name, Object.keys(flags), (candidate) => `--${candidate}`)
      throw new UsageError(`${nameOf(command)} has no --${name}. ${near}`)
    }
    checkWritten(name, flag, value, inlineValue)
    if (given.has(name) && !isRepeatable(flag)) throw new UsageError(`--${name} is given twice.`)
    given.set(name, [...(given.get(name) ?? []), value])
  }
  return given
}

/** A value that looks like a flag is treated as one, unless it is written with = (`--reason=-1`). */
function checkWritten(name, flag, value, inlineValue) {
  if (!flag.value && value !== undefined) throw new UsageError(`--${name} takes no value.`)
  if (!flag.value) return
  const isMissing = value === undefined || (!inlineValue && value.startsWith('-'))
  if (isMissing) throw new UsageError(`--${name} needs a value: --${name} ${flag.value}`)
}

/** `show app_…` is `show --id app_…`. */
function withWords(command, words, given) {
  const flags = wordFlags(command)
  if (words.length > flags.length) {
    throw new UsageError(`"${words.at(-1)}" is one word too many; put texts with spaces in quotes.`)
  }
  const named = words.map((word, index) => [flags[index], [word]])
  const twice = named.find(([flag]) => given.has(flag))
  if (twice) throw new UsageError(`The ${twice[0]} is given twice: "${twice[1]}" and --${twice[0]}.`)
  return new Map([...given, ...named])
}

function checkNeeded(command, given) {
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
  if (given.has('all') && given.has('limit')) throw new UsageError('Either --all or --limit, not both.')
}

function valueOf(name, flag, texts) {
  if (!flag.value) return true
  const values = texts.map((text) => readValue(name, flag, text))
  return isRepeatable(flag) ? values.flat() : values[0]
}
