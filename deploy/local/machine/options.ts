// Options of a script's command line.
import { randomInt } from 'node:crypto'
import { parseArgs, type ParseArgsConfig, type ParseArgsOptionsConfig } from 'node:util'
import { Refusal } from '../bootstrap/machine/refusal.mjs'

const helpOption = { help: { type: 'boolean', short: 'h' } } as const

/** The largest seed that Jest takes. */
const LARGEST_SEED = 2 ** 31 - 1

/** Like `parseArgs`, with errors for users. */
function parse<const T extends ParseArgsConfig>(config: T, help: string) {
  try {
    return parseArgs(config)
  } catch (error) {
    throw new Refusal(`${(error as Error).message.split('.')[0]}.\n${help}`)
  }
}

/**
 * Reads a script's options, of which `--help` is one, and its words if it takes any.
 * @param args arguments after the script's name
 * @returns null after printing help
 * @throws Refusal with the help for an unknown option
 */
export function optionsOf<const T extends ParseArgsOptionsConfig>(
  options: T,
  help: string,
  { args = process.argv.slice(2), allowPositionals = false } = {},
) {
  const { values, positionals } = parse({ args, allowPositionals, options: { ...options, ...helpOption } }, help)
  if (!(values as { help?: boolean }).help) return { ...values, positionals }
  process.stdout.write(help)
  return null
}

/** @throws Refusal unless the text of an option is a whole number up to the largest */
export function numberOf(name: string, text: string, largest: number): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number <= largest) return number
  throw new Refusal(`--${name} takes a whole number up to ${largest}, not ${text}.`)
}

/** The value of `--seed`, or a random one. */
export const seedOf = (text: string | undefined): number =>
  text === undefined ? randomInt(LARGEST_SEED) : numberOf('seed', text, LARGEST_SEED)
