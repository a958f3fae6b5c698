// Brings events to a program on this machine that the service cannot reach: reads the index of events and sends each
// one on as the service would, signed with a secret of its own.
import { createHmac, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'

const EVERY = 2_000
/** Longest wait for the program's answer, ms; the service waits as long. */
const PATIENCE = 15_000
const PAGE_SIZE = 100

/** A new secret in the form of the service's. */
export const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`

/** Headers of a callback, as the service sends them. */
function callbackHeaders(secret, { event_id: id, type }, attempt, body) {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`)
  const hex = mac.digest('hex')
  return {
    'content-type': 'application/json',
    'service-signature': `t=${timestamp},v1=${hex}`,
    'service-event-id': id,
    'service-event-type': type,
    'service-delivery-attempt': String(attempt),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${Buffer.from(hex, 'hex').toString('base64')}`,
  }
}

/** Sends an event once. @returns {Promise<string>} the status, or why there was no answer */
async function send(url, secret, event, attempt) {
  const body = JSON.stringify(event)
  try {
    const headers = callbackHeaders(secret, event, attempt, body)
    const answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(PATIENCE) })
    await answer.body?.cancel()
    return String(answer.status)
  } catch (error) {
    return error.cause?.code ?? error.message
  }
}

/** Sends an event until it is answered with 2xx, so that events stay in order. */
async function deliver(url, secret, event, say) {
  for (let attempt = 1; ; attempt++) {
    const outcome = await send(url, secret, event, attempt)
    say(`${event.type} ${event.reservation_id} #${event.sequence} → ${outcome}`)
    if (/^2\d\d$/.test(outcome)) return
    await pause(Math.min(attempt, 10) * 1000)
  }
}

/** Events after a sequence, oldest first; at most a page. */
async function eventsAfter(partner, sequence) {
  const query = new URLSearchParams({ property_id: partner.propertyId, limit: String(PAGE_SIZE) })
  if (sequence !== null) query.set('after_sequence', String(sequence))
  const { status, body } = await partner.call('GET', `/reservations/events?${query}`)
  if (status === 200) return body.events
  throw new Error(`The index of events answered ${status}: ${body.error.message}`)
}

/** The part of an index entry that a callback carries. */
const envelopeOf = (entry) =>
  Object.fromEntries(Object.entries(entry).filter(([name]) => name !== 'delivery' && name !== 'acknowledgement'))

/** Sequence of the newest event; null when there is none. */
async function newestSequence(partner) {
  for (let newest = null; ;) {
    const events = await eventsAfter(partner, newest)
    newest = events.at(-1)?.sequence ?? newest
    if (events.length < PAGE_SIZE) return newest
  }
}

/**
 * Forwards every event from now on. Ends only with an error.
 * @param {import('./partner-interface.mjs').PartnerInterface} partner
 * @param {{ url: string, secret: string, say: (text: string) => void }} target
 */
export async function forward(partner, { url, secret, say }) {
  if (!URL.canParse(url))
    throw new Error(`--forward-to needs an address such as http://localhost:3000/events, not ${url}.`)
  let newest = await newestSequence(partner)
  say(`forwarding the events of ${partner.propertyId} to ${url}, signed with ${secret}; Ctrl-C to stop`)
  for (;;) {
    for (const event of await eventsAfter(partner, newest)) {
      await deliver(url, secret, envelopeOf(event), say)
      newest = event.sequence
    }
    await pause(EVERY)
  }
}
