#!/usr/bin/env node
// npm run ops -- <noun> <verb>: the operators' interface (/ops/v1 of the gateway) from a terminal.
import { readArguments } from './arguments.mjs'
import { findInterface } from './config.mjs'
import { helpText } from './help.mjs'
import { OperatorsInterface, Refused, Unreachable } from './operators-interface.mjs'
import { requestOf } from './request.mjs'
import { UsageError } from './usage-error.mjs'
import { misunderstanding, refusal, shown, whatFollows } from './words.mjs'

const out = (text) => process.stdout.write(text)
const say = (text) => process.stderr.write(text)

async function carryOut({ command, values }) {
  const request = requestOf(command, values)
  const service = new OperatorsInterface(findInterface({ readOnly: values['read-only'] === true }))
  const limit = values.all ? Infinity : values.limit
  const { text, json } = command.list
    ? await service.list(request, command.list, { limit, cursor: values.cursor })
    : await service.send(request)
  if (values.json) return void out(`${text}\n`)
  out(shown(command, json))
  say(whatFollows(command, json))
}

/** Prints the error; with --json it also prints the original refusal. @returns the exit code */
function explain(error, wantsJson) {
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
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

let asked
try {
  asked = readArguments(process.argv.slice(2))
  if (asked.help) out(helpText(asked))
  else await carryOut(asked)
} catch (error) {
  process.exitCode = explain(error, asked?.values?.json)
}
