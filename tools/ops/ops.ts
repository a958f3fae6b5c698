#!/usr/bin/env node
// npm run ops -- <noun> <verb>: the operators' interface (/ops/v1 of the gateway) from a terminal.
import { type Asked, type CommandLine, readArguments } from './arguments.ts'
import { findInterface } from './config.ts'
import { helpText } from './help.ts'
import { answerTo } from './answers.ts'
import { OperatorsInterface, Refused, Unreachable } from './operators-interface.ts'
import { safe } from './table.ts'
import { UsageError } from './usage-error.ts'
import { misunderstanding, refusal, shown, whatFollows } from './words.ts'

const out = (text: string): boolean => process.stdout.write(text)
const say = (text: string): boolean => process.stderr.write(text)

/** @returns the exit code */
async function carryOut({ command, values }: CommandLine): Promise<number> {
  const service = new OperatorsInterface(findInterface({ readOnly: values['read-only'] === true }))
  const { text, json } = await answerTo(service, command, values)
  out(values.json ? `${text}\n` : shown(command, json, process.stdout.columns))
  if (!values.json) say(whatFollows(command, json))
  const failure = command.failure?.(json) ?? null
  if (failure === null) return 0
  say(`${safe(failure)}\n`)
  return 1
}

/** Prints the error; with --json it also prints the original refusal. Returns the exit code. */
function explain(error: unknown, wantsJson: boolean): number {
  if (error instanceof UsageError) {
    say(misunderstanding(error))
    return 2
  }
  if (error instanceof Refused) {
    if (wantsJson && error.error) out(`${error.text}\n`)
    say(refusal(error))
    return 1
  }
  if (!(error instanceof Unreachable)) throw error
  say(`${error.message}\n`)
  return 1
}

// `… | head` closes the pipe: not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

let asked: Asked | undefined
try {
  asked = readArguments(process.argv.slice(2))
  if (asked.help) out(helpText(asked))
  else process.exitCode = await carryOut(asked)
} catch (error) {
  process.exitCode = explain(error, asked?.values?.json === true)
}
