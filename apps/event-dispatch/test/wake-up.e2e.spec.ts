import { randomUUID } from 'node:crypto'
import { eventually } from '@connectivity/testing/eventually'
import type { ServiceProcess } from '@connectivity/testing/service-process'
import { DispatchProcesses } from './dispatch-process.js'
import { WatchingReceiver } from './watching-receiver.js'

const CALLBACKS = 24

/** Sums a counter of one process over its labels. */
async function counted(service: ServiceProcess, name: string, label = ''): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) && line.includes(label))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}
const consumed = (service: ServiceProcess) =>
  counted(service, 'connectivity_kafka_messages_consumed_total', 'reservation-events')
const delivered = (service: ServiceProcess) =>
  counted(service, 'connectivity_delivery_attempts_total', 'outcome="delivered"')

interface Lease {
  connection_id: string
  lease_owner: string | null
  /** Changes whenever the owner changes. */
  lease_epoch: string
}
const leasesOf = async (dispatch: DispatchProcesses): Promise<Lease[]> =>
  (
    await dispatch.sql.query<Lease>(
      'SELECT connection_id, lease_owner, lease_epoch FROM callback ORDER BY connection_id',
    )
  ).rows

/** Number of callbacks that the process with this number holds. */
const heldBy = (leases: readonly Lease[], index: number): number =>
  leases.filter(({ lease_owner }) => lease_owner?.startsWith(`event-dispatch-${index}-`)).length
const each = <T>(services: readonly ServiceProcess[], count: (service: ServiceProcess) => Promise<T>): Promise<T[]> =>
  Promise.all(services.map(count))
const difference = (now: readonly number[], before: readonly number[]): number[] =>
  now.map((count, index) => count - before[index]!)

describe('an event read by one process for a callback that another one holds', () => {
  it('is delivered by the holder', async () => {
    const dispatch = await DispatchProcesses.create()
    const receiver = await new WatchingReceiver().start()
    try {
      const holder = await dispatch.start()
      const ids = Array.from({ length: CALLBACKS }, () => `con_${randomUUID().replaceAll('-', '')}`)
      await dispatch.connect(...ids.map((connection_id) => ({ connection_id })))
      for (const id of ids) {
        await dispatch.call(holder, 'PUT', '/callback', { connection: id, body: { url: receiver.url('well', id) } })
      }
      const services = [holder]
      let sequence = 0
      const round = async () => {
        sequence += 1
        await dispatch.publish(
          ...ids.map((connectionId) => ({ connectionId, sequence, reservationId: `RSV-${sequence}` })),
        )
        const came = () => ids.map((id) => receiver.cameOf(id))
        await eventually(() => expect(came()).toEqual(ids.map(() => sequence)))
        // Once the lanes are gone, each process has counted its work.
        await eventually(async () => expect((await dispatch.sql.query('SELECT FROM lane')).rowCount).toBe(0))
        await eventually(async () => {
          const read = await Promise.all(services.map(consumed))
          expect(read.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(CALLBACKS * sequence)
        })
      }
      await round()
      // Half of the partitions move to the reader; the leases stay where they are while there is work.
      const reader = await dispatch.start()
      services.push(reader)
      // On a busy machine a lease may expire and move to the reader: a round in which one moves does not count.
      const { held, sent, read } = await eventually(async () => {
        const [leases, readBefore, sentBefore] = await Promise.all([
          leasesOf(dispatch),
          each(services, consumed),
          each(services, delivered),
        ])
        await round()
        expect(await leasesOf(dispatch)).toEqual(leases)
        const held = services.map((_service, index) => heldBy(leases, index))
        const read = difference(await each(services, consumed), readBefore)
        // A process has read more events than it holds callbacks: some were for the other.
        expect(read.some((count, index) => count > held[index]!)).toBe(true)
        return { held, read, sent: difference(await each(services, delivered), sentBefore) }
      })
      expect(sent).toEqual(held)
      expect(read).not.toEqual(held)
    } finally {
      await dispatch.stop()
      receiver.stop()
    }
  })
})
