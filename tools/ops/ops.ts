#!/usr/bin/env node
// npm run ops -- <noun> <verb>: the operators' interface (/ops/v1 of the gateway) from a terminal.
import { type Asked, type CommandLine, readArguments } from './arguments.ts'
import { findInterface } from './config.ts'
import { helpText } from './help.ts'
import { type Answer, OperatorsInterface, recordsOf, Refused, Unreachable } from './operators-interface.ts'
import type { Command, Values } from './command.ts'
import { requestOf } from './request.ts'
import { safe } from './table.ts'
import { UsageError } from './usage-error.ts'
import { misunderstanding, refusal, shown, whatFollows } from './words.ts'

/** A command that lists. */
type ListCommand = Extract<Command, { list: string }>
/** What two records are compared by. */
type Key = string | number | null | undefined

const out = (text: string): boolean => process.stdout.write(text)
const say = (text: string): boolean => process.stderr.write(text)

/** Sends a call whose path lacks a part with each value that it can have, until one knows the record. */
async function search(service: OperatorsInterface, command: Command, values: Values): Promise<Answer> {
  const { flag, values: parts } = command.oneOfPath!
  for (const part of parts) {
    try {
      return await service.send(requestOf(command, { ...values, [flag]: part }))
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 404) throw error
    }
  }
  throw new UsageError(
    `No ${flag} of ${parts.join(', ')} has ${String(values.id)}. It may be gone, or the id is misspelt.`,
  )
}

/** All pages, in the order of `--sort`, up to the limit. */
async function sorted(service: OperatorsInterface, command: ListCommand, values: Values): Promise<Answer> {
  const { json } = await service.list(requestOf(command, values), command.list, { limit: Infinity, cursor: undefined })
  const keyOf = command.sorts![values.sort!]!
  const records = recordsOf(json, command.list).toSorted((one, other) => compared(keyOf(one), keyOf(other)))
  const shownRecords = records.slice(0, values.limit)
  const has_more = shownRecords.length < records.length
  const pagination = { ...json.pagination, count: shownRecords.length, has_more }
  const answer = { ...json, [command.list]: shownRecords, pagination }
  return { json: answer, text: JSON.stringify(answer) }
}

/** Compares two keys; absent ones come last. */
function compared(one: Key, other: Key): number {
  const [first, second] = [one ?? null, other ?? null]
  if (first === second) return 0
  if (first === null || second === null) return first === null ? 1 : -1
  return first < second ? -1 : 1
}

function answerTo(service: OperatorsInterface, command: Command, values: Values): Promise<Answer> {
  if (command.list && values.sort) return sorted(service, command as ListCommand, values)
  const limit = values.all ? Infinity : values.limit
  if (command.list) return service.list(requestOf(command, values), command.list, { limit, cursor: values.cursor })
  const lacksPart = command.oneOfPath && values[command.oneOfPath.flag] === undefined
  return lacksPart ? search(service, command, values) : service.send(requestOf(command, values))
}

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
