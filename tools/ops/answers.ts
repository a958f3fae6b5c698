// Carries out a command: one call, the pages of a list, or a search.
import type { Command, Values } from './command.ts'
import { isPaged } from './flags.ts'
import { type Answer, type OperatorsInterface, recordsOf, Refused } from './operators-interface.ts'
import { requestOf } from './request.ts'

/** A command that lists. */
type ListCommand = Extract<Command, { list: string }>
/** Value by which two records are compared. */
type Key = string | number | null | undefined

/**
 * Sends a call whose path lacks a part with each possible value of that part, until one finds the record.
 * @throws Refused by the last one when none does
 */
async function search(service: OperatorsInterface, command: Command, values: Values): Promise<Answer> {
  const { flag, values: parts } = command.oneOfPath!
  const [part, ...others] = parts
  try {
    return await service.send(requestOf(command, { ...values, [flag]: part }))
  } catch (error) {
    const isUnknown = error instanceof Refused && error.status === 404
    if (!isUnknown || others.length === 0) throw error
    return search(service, { ...command, oneOfPath: { flag, values: others } }, values)
  }
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

/** The answer to a command. @throws Refused, Unreachable, UsageError */
export function answerTo(service: OperatorsInterface, command: Command, values: Values): Promise<Answer> {
  if (command.list && values.sort) return sorted(service, command as ListCommand, values)
  const limit = values.all ? Infinity : values.limit
  if (isPaged(command)) return service.list(requestOf(command, values), command.list!, { limit, cursor: values.cursor })
  const lacksPart = command.oneOfPath && values[command.oneOfPath.flag] === undefined
  return lacksPart ? search(service, command, values) : service.send(requestOf(command, values))
}
