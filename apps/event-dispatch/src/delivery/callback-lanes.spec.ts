import fc from 'fast-check'
import { CallbackLanes, type ReadyLane } from './callback-lanes.js'
import type { DeliveryTarget } from './delivery-target.store.js'
import type { Verdict } from './verdict.js'

const target = (given: Partial<DeliveryTarget> = {}): DeliveryTarget => ({
  ...{ revision: '1', url: 'https://partner.example/', payload: 'full', keys: [] },
  ...{ failuresInRow: 0, breakerOpened: 0, breakerOpenFor: null },
  ...given,
})
const lane = (reservationId: string, hasMore = false): ReadyLane => ({
  reservationId,
  arrivals: '1',
  delivery: {
    ...{ sequence: '1', eventId: 'evt_1', type: 'reservation.created', body: '{}' },
    ...{ attempts: 0, retriesFrom: 0, hasMore, recordedAt: 0, traceparent: null },
  },
})
const many = (count: number, first = 0) => Array.from({ length: count }, (_, index) => lane(`RSV-${first + index}`))
const SHARE = 100
const LEASED_UNTIL = 10_000
const verdict = (kind: Verdict['kind']): Verdict => ({ kind, status: null, error: null, timedOut: false, gap: null })
const [well, failed] = [verdict('delivered'), verdict('retry')]

function subject(known = target()) {
  const lanes = new CallbackLanes({ connectionId: 'con_1', epoch: '1' }, 0, LEASED_UNTIL)
  if (known) lanes.follow(known, 0)
  return lanes
}
const sendAll = (lanes: CallbackLanes, now = 0, share = SHARE): string[] => {
  const sent: string[] = []
  for (let next; (next = lanes.next(now, share));) sent.push(next.reservationId)
  return sent
}

describe('the lanes of a callback', () => {
  it('start with two attempts at once, in the order in which they were read', () => {
    const lanes = subject()
    lanes.add(many(8), [], 8, 0)
    expect(sendAll(lanes)).toEqual(['RSV-0', 'RSV-1'])
    lanes.ended(well, lanes.target, 0)
    expect(sendAll(lanes)).toEqual(['RSV-2'])
  })

  it('have one attempt in flight when this process has as many callbacks as attempts', () => {
    const lanes = subject()
    lanes.add(many(8), [], 8, 0)
    expect(sendAll(lanes, 0, 1)).toHaveLength(1)
  })

  it('send nothing before the target is known, nor after the lease ends', () => {
    const lanes = new CallbackLanes({ connectionId: 'con_1', epoch: '1' }, 0, LEASED_UNTIL)
    expect(lanes.wanted(0, SHARE)).toBeGreaterThan(0)
    lanes.add(many(2), [], 8, 0)
    expect(lanes.next(0, SHARE)).toBeNull()
    lanes.follow(target(), 0)
    expect(lanes.next(LEASED_UNTIL, SHARE)).toBeNull()
    expect(lanes.next(LEASED_UNTIL - 1, SHARE)).not.toBeNull()
  })

  it('stay in hand until their result is written', () => {
    const lanes = subject()
    lanes.add([lane('RSV-1')], [], 8, 0)
    sendAll(lanes)
    lanes.ended(well, lanes.target, 0)
    expect([...lanes.busy]).toEqual(['RSV-1'])
    lanes.release('RSV-1', false)
    expect([...lanes.busy]).toEqual([])
  })

  it('are read again when one has more deliveries, or was skipped while it was in hand', () => {
    const lanes = subject()
    const deliver = (hasMore: boolean) => {
      lanes.ask(0, SHARE)
      lanes.add([lane('RSV-1', hasMore)], [], 8, 0)
      sendAll(lanes)
      lanes.ended(well, lanes.target, 0)
    }
    deliver(true)
    expect(lanes.wantsMore(0, SHARE)).toBe(false)
    lanes.release('RSV-1', true)
    expect(lanes.wantsMore(0, SHARE)).toBe(true)
    deliver(false)
    lanes.release('RSV-1', false)
    expect(lanes.wantsMore(0, SHARE)).toBe(false)
    deliver(false)
    // Lanes are read while this one is in hand: its new deliveries are left out.
    lanes.ask(0, SHARE)
    lanes.add([], [], 8, 0)
    lanes.release('RSV-1', false)
    expect(lanes.wantsMore(0, SHARE)).toBe(true)
    deliver(false)
    // Its result is written during a reading of lanes that has already skipped it.
    lanes.ask(0, SHARE)
    lanes.release('RSV-1', false)
    lanes.add([], [], 8, 0)
    expect(lanes.wantsMore(0, SHARE)).toBe(true)
    lanes.ask(0, SHARE)
    lanes.add([], [], 8, 0)
    expect(lanes.wantsMore(0, SHARE)).toBe(false)
  })

  it('are released when the callback is gone or closed, and aborted when the lease is lost', () => {
    const lanes = subject()
    lanes.add(many(6), [], 8, 0)
    sendAll(lanes)
    lanes.ended(verdict('gone'), lanes.target, 0)
    expect([...lanes.busy]).toEqual(['RSV-0', 'RSV-1'])
    lanes.close()
    expect([lanes.wanted(0, SHARE), lanes.stopped.signal.aborted]).toEqual([0, false])
    lanes.lose()
    expect([lanes.isLost, lanes.stopped.signal.aborted]).toEqual([true, true])
  })

  it('wait while the breaker is open, and send one attempt afterwards', () => {
    const lanes = subject(target({ breakerOpened: 1, breakerOpenFor: 500 }))
    lanes.add(many(3), [], 8, 0)
    expect([lanes.wanted(0, SHARE), lanes.next(0, SHARE), lanes.isBroken(0)]).toEqual([0, null, true])
    expect(sendAll(lanes, 500)).toHaveLength(1)
  })

  it('start over at a new URL, and ignore results of attempts at the old one', () => {
    const lanes = subject()
    lanes.add(many(2), [], 8, 0)
    sendAll(lanes)
    const before = lanes.target
    lanes.follow(target({ revision: '2', breakerOpenFor: 0 }), 0)
    for (let failure = 0; failure < 2; failure++) lanes.ended(failed, before, 0)
    expect(lanes.breaker).toMatchObject({ failuresInRow: 0, opened: 0 })
    expect(lanes.health.take(0, lanes.breaker!)).toBeNull()
  })

  it('never have a reservation in hand twice, nor more attempts in flight than the limit', () => {
    const steps = fc.array(fc.constantFrom('read', 'send', 'succeed', 'fail', 'write', 'wait'), { maxLength: 300 })
    fc.assert(fc.property(steps, (all) => walk(all)))
  })
})

/** Runs the steps in order on a callback with 200 reservations that always have a waiting delivery. */
function walk(steps: readonly string[]): void {
  const lanes = subject()
  lanes.leasedUntil = Infinity
  const reservations = many(200)
  const [inFlight, ended]: [string[], string[]] = [[], []]
  let now = 0
  const end = (ok: boolean) => {
    const [id] = inFlight.splice(0, 1)
    if (id === undefined) return
    lanes.ended(ok ? well : failed, lanes.target, now)
    ended.push(id)
  }
  const happen: Record<string, () => void> = {
    read: () => {
      const [wanted, busy] = [lanes.ask(now, SHARE), new Set(lanes.busy)]
      lanes.add(reservations.filter(({ reservationId }) => !busy.has(reservationId)).slice(0, wanted), [], wanted, now)
    },
    send: () => void inFlight.push(...sendAll(lanes, now)),
    succeed: () => end(true),
    fail: () => end(false),
    write: () => ended.splice(0).forEach((id) => lanes.release(id, true)),
    wait: () => void (now += 40_000),
  }
  for (const step of steps) {
    happen[step]!()
    expect(new Set(inFlight).size).toBe(inFlight.length)
    expect(inFlight.length).toBeLessThanOrEqual(16)
    for (const id of [...inFlight, ...ended]) expect([...lanes.busy]).toContain(id)
  }
}
