import { randomUUID } from 'node:crypto'
import { brokerWire } from '@connectivity/testing/broker-wire'
import { NetworkPath } from '@connectivity/toolkit/network-path'
import { eventually } from '@connectivity/testing/eventually'
import type { ServiceProcess } from '@connectivity/testing/service-process'
import { DispatchProcesses } from './dispatch-process.js'
import { WatchingReceiver } from './watching-receiver.js'

const CALLBACKS = 4
const RESERVATIONS = 5
/** Events per callback before, during and after an outage, each. */
const PART = 60
/** Longest time from the end of an outage until everything has arrived, ms. */
const SECONDS_AFTER = 20_000

let dispatch: DispatchProcesses
let receiver: WatchingReceiver
let service: ServiceProcess
let database: NetworkPath
let broker: NetworkPath
beforeAll(async () => {
  dispatch = await DispatchProcesses.create()
  receiver = await new WatchingReceiver().start()
  const [{ path, url }, wire] = await Promise.all([
    NetworkPath.before(dispatch.databaseUrl),
    brokerWire(process.env.KAFKA_BROKERS!),
  ])
  database = path
  broker = wire.proxy
  service = await dispatch.start({ DATABASE_URL: url }, [wire.preloaded])
})
afterAll(async () => {
  for (const proxy of [database, broker]) proxy.restore()
  await dispatch.stop()
  receiver.stop()
  for (const proxy of [database, broker]) proxy.close()
})

async function registered(): Promise<string[]> {
  const ids = Array.from({ length: CALLBACKS }, () => `con_${randomUUID().replaceAll('-', '')}`)
  await dispatch.connect(...ids.map((connection_id) => ({ connection_id })))
  for (const id of ids) {
    const body = { url: receiver.url('well', id) }
    expect((await dispatch.call(service, 'PUT', '/callback', { connection: id, body })).status).toBe(201)
  }
  return ids
}

/** Publishes the next part of each callback's events. */
function publish(ids: readonly string[], part: number): Promise<void> {
  const events = Array.from({ length: PART }, (_, index) => part * PART + index + 1).flatMap((sequence) =>
    ids.map((connectionId) => ({ connectionId, sequence, reservationId: `RSV-${sequence % RESERVATIONS}` })),
  )
  return dispatch.publish(...events)
}
const came = (ids: readonly string[]) => ids.map((id) => receiver.cameOf(id))
const pending = async (ids: readonly string[]) =>
  (await dispatch.sql.query(`SELECT FROM delivery WHERE connection_id = ANY ($1) AND state <> 'delivered'`, [ids]))
    .rowCount

describe('an outage in the middle of deliveries', () => {
  it.each([
    ['PostgreSQL', () => database],
    ['Kafka', () => broker],
  ])(
    'of %s loses nothing, keeps the order, and is over within seconds',
    async (_what, wire) => {
      const ids = await registered()
      await publish(ids, 0)
      await eventually(() => expect(Math.min(...came(ids))).toBeGreaterThan(0))
      const proxy = wire()
      const before = service.log.length
      proxy.cut()
      await publish(ids, 1)
      // The service has noticed the outage: an operation failed.
      await eventually(() => expect(service.log.slice(before)).toMatch(/"level":[45]0|Connection error/))
      expect(Math.max(...came(ids))).toBeLessThan(2 * PART)
      proxy.restore()
      await publish(ids, 2)
      const all = ids.map(() => 3 * PART)
      await eventually(() => expect(came(ids)).toEqual(all), { deadline: SECONDS_AFTER })
      await eventually(async () => expect(await pending(ids)).toBe(0))
      expect(receiver.violations).toEqual([])
      expect((await fetch(`${service.url}/health/ready`)).status).toBe(200)
    },
    90_000,
  )
})
