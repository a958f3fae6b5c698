import { randomUUID } from 'node:crypto'
import { eventually } from '@connectivity/testing/eventually'
import type { ServiceProcess } from '@connectivity/testing/service-process'
import { DispatchProcesses } from './dispatch-process.js'
import { WatchingReceiver } from './watching-receiver.js'

const CALLBACKS = 24

/** Sum over the labels of a counter of one process. */
async function counted(service: ServiceProcess, name: string, label = ''): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) && line.includes(label))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}
const consumed = (service: ServiceProcess) =>
  counted(service, 'connectivity_kafka_messages_consumed_total', 'reservation-events')
const delivered = (service: ServiceProcess) =>
  counted(service, 'connectivity_delivery_attempts_total', 'outcome="delivered"')

describe('an event that one process reads for a callback that another one holds', () => {
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
      let sequence = 0
      const round = async () => {
        sequence += 1
        await dispatch.publish(
          ...ids.map((connectionId) => ({ connectionId, sequence, reservationId: `RSV-${sequence}` })),
        )
        const came = () => ids.map((id) => receiver.cameOf(id))
        await eventually(() => expect(came()).toEqual(ids.map(() => sequence)), { deadline: 20_000 })
      }
      await round()
      // Half of the partitions move to the reader; the leases stay where they are while there is something to do.
      const reader = await dispatch.start()
      const before = await consumed(reader)
      await eventually(
        async () => {
          await round()
          expect(await consumed(reader)).toBeGreaterThan(before)
        },
        { deadline: 40_000 },
      )
      const total = CALLBACKS * sequence
      await eventually(async () => expect((await delivered(holder)) + (await delivered(reader))).toBe(total))
      // The reader has read about half of the later rounds. On a busy machine a lease may expire and move to it.
      expect(await delivered(holder)).toBeGreaterThan(0.75 * total)
    } finally {
      await dispatch.stop()
      receiver.stop()
    }
  }, 90_000)
})
