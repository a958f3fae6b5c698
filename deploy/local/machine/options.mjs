// Options of a script's command line.
import { parseArgs } from 'node:util'
import { Refusal } from './refusal.mjs'

/** @throws Refusal with the help for an unknown option */
export function optionsOf(options, help) {
  try {
    return parseArgs({ options }).values
  } catch (error) {
    throw new Refusal(`${error.message.split('.')[0]}.\n${help}`)
  }
}
