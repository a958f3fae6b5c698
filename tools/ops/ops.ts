#!/usr/bin/env node
// npm run ops -- <noun> <verb>: the operators' interface (/ops/v1 of the gateway) from a terminal.
import { CommanderError } from 'commander'
import { answerTo } from './answers.ts'
import type { Command, Values } from './command.ts'
import { findInterface } from './config.ts'
import { OperatorsInterface, Refused, Unreachable } from './operators-interface.ts'
import { run } from './program.ts'
import { safe } from './table.ts'
import { UsageError } from './usage-error.ts'
import { refusal, shown, whatFollows } from './words.ts'

const out = (text: string): boolean => process.stdout.write(text)
const say = (text: string): boolean => process.stderr.write(text)

/** Sends the call, prints the answer, and sets the exit code. */
async function carryOut(command: Command, values: Values): Promise<void> {
  try {
    const service = new OperatorsInterface(findInterface({ readOnly: values['read-only'] === true }))
    const { text, json } = await answerTo(service, command, values)
    out(values.json ? `${text}\n` : shown(command, json, process.stdout.columns))
    if (!values.json) say(whatFollows(command, json))
    const failure = command.failure?.(json) ?? null
    if (failure === null) return
    say(`${safe(failure)}\n`)
    process.exitCode = 1
  } catch (error) {
    process.exitCode = explain(error, values.json === true)
  }
}

/** Prints the error; with --json it also prints the original refusal. Returns the exit code. */
function explain(error: unknown, wantsJson: boolean): number {
  if (error instanceof Refused) {
    if (wantsJson && error.error) out(`${error.text}\n`)
    say(refusal(error))
    return 1
  }
  const isUsage = error instanceof UsageError
  if (!isUsage && !(error instanceof Unreachable)) throw error
  say(`${safe(error.message)}\n`)
  return isUsage ? 2 : 1
}

// `… | head` closes the pipe: not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

try {
  await run(process.argv.slice(2), { carryOut, out, say })
} catch (error) {
  // Help or the mistake is printed.
  if (!(error instanceof CommanderError)) throw error
  process.exitCode = error.exitCode === 0 ? 0 : 2
}
