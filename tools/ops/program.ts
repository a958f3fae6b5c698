// The program that parses command lines, built from the table of commands.
import { Command as Program, Option } from 'commander'
import type { Command, Flag, Values } from './command.ts'
import { commands, nouns } from './commands.ts'
import { flagsOf, wordFlags } from './flags.ts'
import { callOf, examplesOf, FIRST_STEPS, hint, hintOf, SELF, SUMMARY } from './help.ts'
import { safe } from './table.ts'
import { readerOf } from './values.ts'

/** Callbacks of a program for commands and texts. */
interface Uses {
  carryOut: (command: Command, values: Values) => Promise<void> | void
  out: (text: string) => void
  say: (text: string) => void
}

/** Parses a command line, given without node and script. @throws CommanderError after help and after a mistake */
export async function run(argv: readonly string[], uses: Uses): Promise<void> {
  const [first, ...others] = argv
  const line = first === undefined || first === 'help' ? [...others, '--help'] : argv
  await programOf(uses).parseAsync(line, { from: 'user' })
}

function programOf({ carryOut, out, say }: Uses): Program {
  const program = new Program(SELF)
    .description(SUMMARY)
    .option('--json', "the service's answer unchanged, for scripts")
    .option('--read-only', "use the local stack's read-only token")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: out,
      writeErr: say,
      outputError: (text) => say(text.split('\n').map(safe).join('\n')),
    })
    .helpCommand(false)
    .exitOverride()
    .showHelpAfterError(hint())
    .addHelpText('after', FIRST_STEPS)
  for (const noun of Object.keys(nouns)) addNoun(program, noun, carryOut)
  return program
}

/** Adds a noun with its commands; a noun with a single verb needs none. */
function addNoun(program: Program, noun: string, carryOut: Uses['carryOut']): void {
  const own = commands.filter((command) => command.noun === noun)
  const isDefault = own.length === 1
  const parent = program
    .command(noun)
    .summary(`${nouns[noun]} (${own.map(({ verb }) => verb).join(', ')})`)
    .description(nouns[noun]!)
    .helpCommand(false)
    .helpOption(!isDefault)
    .showHelpAfterError(hint(noun))
    .addHelpText('after', examplesOf(own))
  for (const command of own) {
    const child = parent.command(command.verb, { isDefault }).helpOption('-h, --help')
    addCommand(child, command, carryOut)
  }
}

function addCommand(program: Program, command: Command, carryOut: Uses['carryOut']): void {
  const words = wordFlags(command)
  program.description(command.does).showHelpAfterError(hintOf(command)).addHelpText('after', callOf(command))
  for (const [name, flag] of Object.entries(flagsOf(command))) {
    const isWord = words.includes(name)
    program.addOption(optionOf(name, flag).hideHelp(isWord))
    if (isWord) program.argument(`[${name}]`, `${flag.says} (or --${name} <${flag.value}>)`)
  }
  program.action(() => carryOut(command, valuesOf(program, command)))
}

/** Needed flags are checked later: commander would report a missing flag before the misspelled one. */
function optionOf(name: string, flag: Flag): Option {
  const { value, says, needed, oneOf, excludes = [] } = flag
  const option = new Option(`--${name}${value ? ` <${value}>` : ''}`, `${says}${needed ? ' (needed)' : ''}`)
  if (oneOf) option.choices(oneOf)
  const { parseArg } = option
  if (value) option.argParser(readerOf(flag, parseArg && ((word) => parseArg(word, undefined))))
  return option.conflicts(excludes)
}

/** Values by flag, those of words among them. */
function valuesOf(program: Program, command: Command): Values {
  const given = Object.entries(program.optsWithGlobals<Record<string, string>>())
  const values = Object.fromEntries(given.map(([name, value]) => [kebab(name), value]))
  for (const [index, name] of namedByWords(program.args, command).entries()) {
    if (values[name] !== undefined) program.error(`error: '${name}' is given twice, as a word and as --${name}`)
    values[name] = program.args[index]!
  }
  checkNeeded(program, command, values)
  return values
}

/** commander names `--idempotency-key` `idempotencyKey`. */
const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Flags that the words stand for; an optional part is among them only if the first word is one of its values. */
function namedByWords(words: readonly string[], command: Command): string[] {
  const { oneOfPath } = command
  const all = wordFlags(command)
  const isWhole = !oneOfPath || words.length >= all.length || oneOfPath.values.includes(words[0] ?? '')
  return all.filter((name) => isWhole || name !== oneOfPath.flag).slice(0, words.length)
}

function checkNeeded(program: Program, command: Command, values: Values): void {
  const isAbsent = (name: string) => values[name] === undefined
  const missing = Object.entries(flagsOf(command)).filter(([name, { needed }]) => needed && isAbsent(name))
  if (missing.length > 0) {
    const said = missing.map(([name, { value, says }]) => `--${name} <${value}> (${says})`)
    program.error(`error: missing ${said.join(', ')}`)
  }
  const { needsOneOf } = command
  if (needsOneOf?.every(isAbsent)) {
    program.error(`error: give at least one of ${needsOneOf.map((name) => `--${name}`).join(', ')}`)
  }
}
