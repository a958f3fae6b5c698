import { setTimeout as delay } from 'node:timers/promises'
import type { Outcome, Sender, SendOptions, SendRequest } from '../src/sending/sender.js'

/** A delivery as it reached a receiver. */
export interface Received {
  callback: string
  reservationId: string
  sequence: number
  attempt: number
  body: string
  at: number
  /** Known to the sender only, not sent to the receiver. */
  traceparent: SendRequest['traceparent']
}

/** Status to answer with, `after` a delay, ms; null hangs until the sender's time is up. */
export type Reaction = (received: Received) => { status: number | null; after?: number; retryAfter?: number }

/** An attempt's outcome; by default without answer or error. */
export const outcome = (given: Partial<Outcome>): Outcome => ({
  status: null,
  retryAfterSeconds: null,
  error: null,
  timedOut: false,
  at: Date.now(),
  durationMs: 1,
  body: Buffer.alloc(0),
  ...given,
})

const NEVER = new AbortController().signal

/** A sender with fake receivers and no network, so that tests control time; checks what every receiver relies on. */
export class FakeReceivers implements Sender {
  readonly received: Received[] = []
  readonly violations: string[] = []
  /** Most attempts in flight at once, by callback. */
  readonly most = new Map<string, number>()
  private readonly inFlight = new Map<string, Set<string>>()
  private readonly latest = new Map<string, number>()
  private readonly leaving = new AbortController()

  /** @param patience how long an attempt that hangs lasts, ms */
  constructor(
    public react: Reaction = () => ({ status: 204 }),
    private readonly patience = 15_000,
  ) {}

  /** Ends the attempts that hang. */
  release(): void {
    this.leaving.abort()
  }

  async send({ callback, body, headers, traceparent }: SendRequest, { signal }: SendOptions = {}): Promise<Outcome> {
    const event = JSON.parse(body.toString()) as { reservation_id: string; sequence: number }
    const received: Received = {
      callback,
      reservationId: event.reservation_id,
      sequence: event.sequence,
      attempt: Number(headers(Date.now())['service-delivery-attempt']),
      body: body.toString(),
      at: performance.now(),
      traceparent,
    }
    this.begin(received)
    const { status, after = 0, retryAfter = null } = this.react(received)
    const time = status === null ? this.patience : after
    const aborted = await delay(time, false, { signal: this.endOf(status, signal) }).catch(() => true)
    this.inFlight.get(callback)!.delete(received.reservationId)
    if (aborted) return outcome({ error: 'aborted' })
    if (status === null) return outcome({ error: 'timeout', timedOut: true, durationMs: Math.round(time) })
    return outcome({ status, retryAfterSeconds: retryAfter, durationMs: Math.round(time) })
  }

  private endOf(status: number | null, signal: AbortSignal = NEVER): AbortSignal {
    return status === null ? AbortSignal.any([signal, this.leaving.signal]) : signal
  }

  private begin(received: Received): void {
    const { callback, reservationId, sequence } = received
    const busy = this.inFlight.get(callback) ?? new Set()
    this.inFlight.set(callback, busy)
    if (busy.has(reservationId)) this.violations.push(`${callback} ${reservationId}: two at once`)
    busy.add(reservationId)
    this.most.set(callback, Math.max(this.most.get(callback) ?? 0, busy.size))
    const key = `${callback} ${reservationId}`
    if (sequence < (this.latest.get(key) ?? 0))
      this.violations.push(`${key}: ${sequence} after ${this.latest.get(key)}`)
    this.latest.set(key, sequence)
    this.received.push(received)
  }
}
