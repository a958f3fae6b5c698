#!/usr/bin/env node
// node examples/receiver/receiver.mjs: receives the reservation events of one property connection.
// It registers itself as the connection's callback, answers the challenge, verifies every event, answers at once and
// acknowledges afterwards. Settings and their defaults: BIND (loopback), PORT (a free port), CALLBACK_URL (this
// machine); for the others see partner-interface.mjs.
// With --forward-to URL it registers nothing: it reads the index of events and sends each event to that address, signed
// with CALLBACK_SECRET (default: a new one), as the service would if it could reach it.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { parseArgs } from 'node:util'
import { forward, newSecret } from './forward.mjs'
import { Inbox } from './inbox.mjs'
import { PartnerInterface, readSettings } from './partner-interface.mjs'
import { verifyByHand, verifyWithLibrary } from './verify.mjs'

// A failure ends the program with its message.
process.on('uncaughtException', ({ message }) => {
  process.stderr.write(`${message}\n`)
  process.exit(1)
})

/** Time without an event after which the program says that it still waits, ms. */
const QUIET = 60_000

const HELP = `npm run demo:receive                        registers a receiver, answers its challenge, verifies and acknowledges events
npm run demo:receive -- --forward-to URL    sends each event of the index to URL instead
Settings and their defaults stand at the top of examples/receiver/receiver.mjs.`

const { values } = parseArgs({ options: { 'forward-to': { type: 'string' }, help: { type: 'boolean' } } })
const say = (text) => process.stdout.write(`${text}\n`)
if (values.help) {
  say(HELP)
  process.exit()
}
const partner = new PartnerInterface(readSettings())
const callback = `/properties/${partner.propertyId}/callback`
const inbox = new Inbox()
/** Store this with your other secrets. The example requests a new one at each start instead. */
let secret = null

/** Reads the body's raw bytes: verify the signature over these before you parse anything. */
async function bytesOf(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** @returns {object | null} the event; null when the service did not sign it */
function verified(headers, body) {
  try {
    return verifyByHand(secret, headers, body) ? verifyWithLibrary(secret, headers, body) : null
  } catch {
    return null
  }
}

/** Confirms that we want these events. The first challenge arrives before we know the secret that signs it. */
function answerChallenge(body, response) {
  const { challenge } = JSON.parse(body)
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ challenge }))
}

/** Applies an event once, then acknowledges it so that the service need not keep it for us. */
async function apply(event) {
  const { event_id, type, reservation_id, sequence, property_id } = event
  if (type === 'callback.test') return say(`test event ${event_id}`)
  const became = inbox.take(event)
  say(`${type} ${reservation_id} #${sequence} ${became}`)
  const acknowledgements = [{ event_id, outcome: 'processed' }]
  const { status } = await partner.call('POST', '/reservations/ack', {
    body: { property_id, acknowledgements },
    key: event_id,
  })
  say(status === 200 ? `acknowledged ${event_id}` : `not acknowledged ${event_id}: ${status}`)
}

async function receive(request, response) {
  const body = await bytesOf(request)
  if (request.headers['service-event-type'] === 'callback.challenge') return answerChallenge(body, response)
  const event = secret && verified(request.headers, body)
  if (!event) return response.writeHead(401).end()
  // Answer first: the service waits at most 15 s. Put slower work into a queue of your own.
  response.writeHead(204).end()
  await apply(event)
}

/** @returns {Promise<string | null>} a new secret for the registered callback; null when none is registered */
async function replaceSecret() {
  const rotation = { body: { overlap_seconds: 0 }, key: randomUUID() }
  const { status, body } = await partner.call('POST', `${callback}/rotate-secret`, rotation)
  return status === 200 ? body.secret : null
}

/** Registers our address. Waiting events arrive at once, so the secret is replaced before the call. */
async function register(url) {
  secret = await replaceSecret()
  const { status, body } = await partner.call('PUT', callback, { body: { url }, key: randomUUID() })
  if (status >= 300) throw new Error(`The service did not register ${url}: ${body.error.message}`)
  secret ??= body.secret
}

/** Registers with the service and waits for its callbacks. */
async function listen() {
  const quiet = setInterval(() => say(`waiting: no callback for ${QUIET / 1000} s`), QUIET)
  const server = createServer((request, response) => {
    quiet.refresh()
    receive(request, response).catch((error) => {
      say(`failed: ${error.message}`)
      if (!response.headersSent) response.writeHead(500)
      response.end()
    })
  }).listen(Number(process.env.PORT ?? 0), process.env.BIND ?? '127.0.0.1')
  await once(server, 'listening')
  const url = process.env.CALLBACK_URL ?? `http://127.0.0.1:${server.address().port}/events`
  await register(url)
  say(`registered ${url} for ${partner.propertyId}; waiting for events, Ctrl-C to stop`)
}

const url = values['forward-to']
if (url === undefined) await listen()
else await forward(partner, { url, secret: process.env.CALLBACK_SECRET ?? newSecret(), say })
