import { randomUUID } from 'node:crypto'
import type { EventPage } from '@connectivity/contracts/event-index'
import { AdjustableReceiver } from '@connectivity/testing/adjustable-receiver'
import { eventually } from '@connectivity/testing/eventually'
import { metricsOf, sumOfMetric } from '@connectivity/toolkit/metrics'
import type { System } from './system.js'

/** Length of the wait, seconds; a much earlier answer was triggered by a change. */
const WAIT = 25
const EARLY = 15_000

/** Waits for events through the gateway, as the guide says. */
export function describeWaiting(system: () => System): void {
  describe('a request that waits for events', () => {
    const receiver = new AdjustableReceiver()
    let id: string
    beforeAll(async () => {
      id = system().stack.connection.property_id
      receiver.status = 204
      const url = await receiver.start()
      await eventually(async () => {
        const answer = await callback('PUT', { url })
        expect(answer.status).toBeLessThan(300)
      })
    })
    afterAll(async () => {
      await callback('DELETE')
      receiver.stop()
    })

    const callback = (method: string, body?: object) =>
      system().partner.call(method, `/properties/${id}/callback`, {
        body,
        headers: { 'idempotency-key': randomUUID() },
      })
    const events = async (query: string): Promise<EventPage['events']> => {
      const answer = await system().partner.call('GET', `/reservations/events?property_id=${id}${query}`)
      if (answer.status !== 200) throw new Error(`${query}: ${answer.status} ${answer.text}`)
      return (answer.body as EventPage).events
    }
    const lastSequence = async () => (await events('&order=desc&limit=1'))[0]?.sequence ?? 0
    /** Waits that have ended, and requests that wait now. */
    const measured = async (metric: string, label: string) =>
      sumOfMetric(await metricsOf(system().stack.demo.ops.base_url), metric, label)
    const ended = (by: string) => measured('connectivity_waits_ended_total', `service="event-dispatch",by="${by}"`)
    const isWaiting = () =>
      eventually(async () =>
        expect(await measured('connectivity_waiting_requests', 'service="event-dispatch"')).toBe(1),
      )

    /** Begins a wait, makes the change, and expects that the change ends the wait. */
    async function expectWoken(query: string, change: () => Promise<unknown>): Promise<EventPage['events']> {
      const before = await Promise.all([ended('change'), ended('backstop')])
      const startedAt = performance.now()
      const answer = events(`${query}&wait=${WAIT}`)
      await isWaiting()
      await change()
      const found = await answer
      expect(performance.now() - startedAt).toBeLessThan(EARLY)
      const [changes, backstops] = await Promise.all([ended('change'), ended('backstop')])
      expect(changes).toBeGreaterThan(before[0])
      expect(backstops).toBe(before[1])
      return found
    }

    it('is answered with the next event', async () => {
      const after = await lastSequence()
      const found = await expectWoken(`&after_sequence=${after}`, () => system().stack.book())
      expect(found.map(({ sequence }) => sequence)).toEqual([after + 1])
    })

    it('with a state is answered when an event gets it', async () => {
      await eventually(async () => expect(await events('&state=pending')).toEqual([]))
      const after = await lastSequence()
      const { promise: allowed, resolve: allow } = Promise.withResolvers<void>()
      receiver.answering = allowed
      const before = receiver.received
      await system().stack.book()
      await eventually(() => expect(receiver.received).toBe(before + 1))
      const found = await expectWoken(`&after_sequence=${after}&state=delivered`, async () => allow())
      expect(found).toMatchObject([{ sequence: after + 1, delivery: { state: 'delivered', attempts: 1 } }])
    })
  })
}
