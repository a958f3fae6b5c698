// A partner's receiver as a separate process: one server, a path for each callback. It answers as its path says, and
// reports the received events and whether any reservation's events arrived out of order.
import { createServer } from 'node:http'
import type { ReservationEvent } from '@connectivity/contracts/reservation-events'
import { serve, sendToParent } from '../forked.ts'

const HANGING = /^\/hanging\//
const FAILING = /^\/failing\//

/** Events received since the last reset. */
export interface Received {
  events: number
  /** Events of healthy callbacks. */
  wellEvents: number
  /** Events that came after a later one of the same reservation. */
  outOfOrder: number
  /** Times, ms since the epoch. */
  firstAt: number
  lastAt: number
  lastWellAt: number
  /** Times from an event until a healthy callback got it, ms. */
  delays: number[]
}

/** Fields read from a post: an event, or the challenge that verifies the callback. */
interface Posted extends Pick<ReservationEvent, 'reservation_id' | 'sequence' | 'occurred_at'> {
  challenge?: string
}

const seen: Received = { events: 0, wellEvents: 0, outOfOrder: 0, firstAt: 0, lastAt: 0, lastWellAt: 0, delays: [] }
const latest = new Map<string, number>()

function note(path: string, event: Posted, at: number): void {
  seen.events += 1
  seen.firstAt ||= at
  seen.lastAt = at
  const key = `${path} ${event.reservation_id}`
  if (event.sequence < (latest.get(key) ?? 0)) seen.outOfOrder += 1
  latest.set(key, event.sequence)
  if (HANGING.test(path) || FAILING.test(path)) return
  seen.wellEvents += 1
  seen.lastWellAt = at
  seen.delays.push(at - Date.parse(event.occurred_at))
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const { url = '' } = request
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const event = JSON.parse(Buffer.concat(chunks).toString()) as Posted
    if (event.challenge) return response.end(JSON.stringify({ challenge: event.challenge }))
    note(url, event, Date.now())
    if (HANGING.test(url)) return
    response.statusCode = FAILING.test(url) ? 500 : 204
    response.end()
  })
})

process.on('message', (what) => {
  if (what === 'report') return sendToParent(seen)
  Object.assign(seen, { events: 0, wellEvents: 0, outOfOrder: 0, firstAt: 0, lastAt: 0, lastWellAt: 0, delays: [] })
})
serve(server)
