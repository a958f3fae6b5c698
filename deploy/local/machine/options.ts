// Options of a script's command line.
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { Refusal } from '../bootstrap/machine/refusal.mjs'

/** @throws Refusal with the help for an unknown option */
export function optionsOf<const T extends ParseArgsOptionsConfig>(options: T, help: string) {
  try {
    return parseArgs({ options }).values
  } catch (error) {
    throw new Refusal(`${(error as Error).message.split('.')[0]}.\n${help}`)
  }
}
