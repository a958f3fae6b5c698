import type { FeedPage } from '@connectivity/contracts/reservation'
import type { Timeline, TimelineKind } from '@connectivity/contracts/timeline'
import { AdjustableReceiver } from '@connectivity/testing/adjustable-receiver'
import { eventually } from '@connectivity/testing/eventually'
import type { System } from './system.js'

/** Takes a reservation through its life and reads its timeline. */
export function describeTimeline(system: () => System): void {
  describe('the timeline of a reservation', () => {
    const receiver = new AdjustableReceiver()
    let id: string
    const get = async <T>(path: string) => {
      const answer = await system().partner.call('GET', path)
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`)
      return { correlationId: answer.headers.get('x-correlation-id')!, body: answer.body as T, answer }
    }
    const change = async (method: string, path: string, body: object) => {
      const headers = { 'idempotency-key': crypto.randomUUID() }
      const answer = await system().partner.call(method, path, { body, headers })
      if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`)
      return answer.headers.get('x-correlation-id')!
    }
    beforeAll(async () => {
      id = system().stack.connection.property_id
      receiver.status = 204
      const url = await receiver.start()
      await change('PUT', `/properties/${id}/callback`, { url })
    })
    afterAll(async () => {
      await system().partner.call('DELETE', `/properties/${id}/callback`, {
        headers: { 'idempotency-key': crypto.randomUUID() },
      })
      receiver.stop()
    })

    /** Pulls from a checkpoint until there is something new. */
    const pull = (since: string) =>
      eventually(async () => {
        const page = await get<FeedPage>(`/reservations?property_id=${id}&updated_since=${since}&limit=100`)
        const fresh = page.body.reservations.filter(({ updated_at }) => updated_at > since)
        if (fresh.length === 0) throw new Error('nothing new')
        return { ...page, reservation: fresh.at(-1)! }
      })
    const lastStamp = async () => {
      const { answer } = await get(`/reservations?property_id=${id}&updated_since=2199-01-01T00:00:00Z`)
      return answer.headers.get('service-checkpoint')!
    }

    it('shows the changes, the requests that fetched them, and the answers of the callback', async () => {
      const { stack } = system()
      const before = await lastStamp()
      await stack.book('--modify')
      const modified = await pull(before)
      const { reservation_id, updated_at } = modified.reservation
      const path = `/reservations/${encodeURIComponent(reservation_id)}/timeline?property_id=${id}`
      const own = await eventually(async () => {
        const { body } = await get<Timeline>(path)
        const event = body.entries.find((entry) => entry.kind === 'event' && entry.updated_at === updated_at)
        if (!event) throw new Error('no event yet')
        return event
      })
      const acknowledgements = [{ event_id: own.event_id, outcome: 'processed' }]
      const acknowledged = await change('POST', '/reservations/ack', { property_id: id, acknowledgements })
      await stack.operators.call('POST', `/connections/${id}/redeliver`, { reservation_ids: [reservation_id] })
      const again = await pull(updated_at)

      const { entries } = await eventually(async () => {
        const { body } = await get<Timeline>(path)
        const ids = body.entries.map(({ correlation_id }) => correlation_id)
        expect(ids).toEqual(expect.arrayContaining([modified.correlationId, again.correlationId, acknowledged]))
        expect(body.entries.filter(({ kind }) => kind === 'attempt').length).toBeGreaterThanOrEqual(2)
        return body
      })
      const of = (wanted: TimelineKind) => entries.filter(({ kind }) => kind === wanted)
      expect(of('stamped').at(-1)).toMatchObject({ updated_at, correlation_id: null, event_id: null })
      expect(of('stamped').at(-1)!.changes!.length).toBeGreaterThan(0)
      expect(of('event').some((entry) => entry.event_id === own.event_id && entry.updated_at === updated_at)).toBe(true)
      expect(of('redelivered')).toMatchObject([{ changes: [], correlation_id: null }])
      const served = of('served').find(({ correlation_id }) => correlation_id === modified.correlationId)
      expect(served).toMatchObject({ updated_at, event_id: null, status: null })
      expect(of('attempt').every(({ status }) => status === 204)).toBe(true)
      const ownAcknowledgements = of('acknowledged').filter(({ event_id }) => event_id === own.event_id)
      expect(ownAcknowledgements).toMatchObject([{ correlation_id: acknowledged }])
      expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).toSorted())

      const shown = `/connections/${id}/reservations/${reservation_id}/timeline`
      expect((await stack.operators.call<Timeline>('GET', shown)).entries).toEqual(expect.arrayContaining(entries))
    })

    it('knows only reservations that the feed showed on this connection', async () => {
      const unknown = await system().partner.call('GET', `/reservations/RSV-none/timeline?property_id=${id}`)
      expect(unknown).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
    })
  })
}
