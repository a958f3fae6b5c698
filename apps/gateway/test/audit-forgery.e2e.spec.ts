import { generateKeySync } from 'node:crypto'
import { cloudEventText } from '@connectivity/contracts/cloud-event'
import { type ServiceName, services } from '@connectivity/contracts/identity'
import { type AuditEntry, operatorChangeEventType, serviceActions } from '@connectivity/contracts/operator-changes'
import { Database } from '@connectivity/database'
import { applyBatch } from '@connectivity/kafka/consuming'
import { proveOperatorChange } from '@connectivity/service-kit/identity'
import { auditEntriesRefused } from '../src/registry/audit/audit-metrics.js'
import { OperatorChangesConsumer } from '../src/registry/audit/operator-changes.consumer.js'
import { GatewayUnderTest } from './gateway-under-test.js'

const topic = 'connectivity.operator-changes.v1'
const newKey = () => generateKeySync('hmac', { length: 256 })
const keys = { catalog: newKey(), 'reservation-feed': newKey(), ari: newKey(), 'event-dispatch': newKey() }

/** Protection against forged messages on the topic. */
describe('the audit at the gateway', () => {
  const gateway = new GatewayUnderTest()
  beforeAll(async () => gateway.start({ IDENTITY_KEYS: keys }))
  afterAll(() => gateway.stop())

  let made = 0
  const entry = (action: string, given: Partial<AuditEntry> = {}): AuditEntry => ({
    id: `aud_${String(++made).padStart(32, '0')}`,
    at: '2026-11-20T10:00:00.000Z',
    actor: 'olga',
    action,
    subject: 'con_1',
    reason: 'ticket 1',
    before: { state: 'active' },
    after: null,
    correlation_id: 'abcdefgh',
    ...given,
  })
  let offset = 0n
  /** Hands messages to the gateway as its consumer does. */
  const arrive = async (...data: object[]) => {
    const messages = data.map((each) => {
      const envelope = { id: 'e', source: '/operators', type: operatorChangeEventType, subject: 's', time: '' }
      return { offset: offset++, key: null, value: Buffer.from(cloudEventText(envelope, JSON.stringify(each))) }
    })
    const consumer = gateway.app.get(OperatorChangesConsumer, { strict: false })
    const database = gateway.app.get(Database, { strict: false })
    return applyBatch(database, { group: 'gateway', topic, partition: 0 }, messages, (batch) => consumer.handle(batch))
  }
  const audited = async () => {
    const { json } = await gateway.ops('GET', '/audit?limit=100')
    return json.entries as AuditEntry[]
  }
  const refused = async () => (await auditEntriesRefused.get()).values[0]!.value
  const proven = (service: ServiceName, made: AuditEntry, key = keys[service]) => ({
    ...made,
    ...proveOperatorChange(service, [key], made),
  })

  it('accepts every action of every service with its proof, once', async () => {
    const all = services.flatMap((service) => serviceActions[service].map((action) => proven(service, entry(action))))
    expect(await arrive(...all)).toEqual([])
    expect(await arrive(...all)).toEqual([])
    const ids = all.map(({ id }) => id)
    expect((await audited()).map(({ id }) => id).sort()).toEqual(ids.sort())
  })

  it('accepts an entry while the keys rotate', async () => {
    const changed = entry('callback.suspend', { reason: 'é\u001e\u0000\u001f\ud800' })
    const proof = proveOperatorChange('event-dispatch', [newKey(), keys['event-dispatch']], changed)
    expect(await arrive({ ...changed, ...proof })).toEqual([])
    expect(await audited()).toContainEqual(expect.objectContaining({ id: changed.id, reason: 'é\u001e\u001f' }))
  })

  it.each([
    ['an id that is not one of ours', { id: 'zzzz' }],
    ['an id of a time in the future', { id: `aud_${'f'.repeat(32)}` }],
    ['a time in the future', { at: '9999-12-31T23:59:59.999Z' }],
    ['no actor', { actor: '' }],
    ['an empty reason', { reason: '' }],
    ['a reason that no call takes', { reason: 'r'.repeat(501) }],
    ['an object nested without end', { after: JSON.parse(`${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`) as object }],
  ])('refuses a proven entry with %s', async (_what, given) => {
    const before = await audited()
    expect(await arrive(proven('event-dispatch', entry('callback.suspend', given)))).toHaveLength(1)
    expect(await audited()).toEqual(before)
  })

  const genuine = proven('event-dispatch', entry('callback.suspend'))
  const altered = (change: object) => ({ ...genuine, id: entry('x').id, ...change })
  const forgeries: [string, object][] = [
    ['without any proof', entry('callback.suspend')],
    ['that names a service alone', { ...entry('callback.suspend'), service: 'event-dispatch' }],
    ['with no proofs', { ...entry('callback.suspend'), service: 'event-dispatch', proofs: [] }],
    ['with an empty proof', { ...entry('callback.suspend'), service: 'event-dispatch', proofs: [''] }],
    ['with proofs that are no list', { ...entry('callback.suspend'), service: 'event-dispatch', proofs: 'x' }],
    ['of an unknown service', { ...entry('callback.suspend'), service: 'booking-engine', proofs: ['x'] }],
    ['of the gateway itself', { ...entry('credential.issue'), service: 'gateway', proofs: ['x'] }],
    ['by a key of the forger', proven('event-dispatch', entry('callback.suspend'), newKey())],
    ["by another service's key", proven('event-dispatch', entry('callback.suspend'), keys.ari)],
    ['of a service that does not own the action', proven('ari', entry('callback.suspend'))],
    ['of a service that claims what the gateway does', proven('catalog', entry('credential.issue'))],
    ['with the proof of another id', altered({})],
    ['with the proof of another actor', altered({ id: genuine.id, actor: 'mallory' })],
    ['with the proof of another time', altered({ id: genuine.id, at: '2026-11-20T10:00:00.001Z' })],
    ['with the proof of another action', altered({ id: genuine.id, action: 'callback.resume' })],
    ['with the proof of another subject', altered({ id: genuine.id, subject: 'con_2' })],
    ['with the proof of another reason', altered({ id: genuine.id, reason: 'ticket 2' })],
    ['with the proof of another effect', altered({ id: genuine.id, before: null, after: { state: 'active' } })],
    ['with the proof of another request', altered({ id: genuine.id, correlation_id: 'hgfedcba' })],
    ['with more proofs than keys rotate', { ...genuine, proofs: Array(9).fill(genuine.proofs[0]) }],
  ]

  it.each(forgeries)('refuses an entry %s', async (_how, forged) => {
    const before = await audited()
    const counted = await refused()
    const letters = await arrive(forged)
    expect(letters.map(({ reason }) => reason)).toEqual([expect.stringMatching(/^\/data\/(service|proofs|action)/)])
    expect(await audited()).toEqual(before)
    expect(await refused()).toBe(counted + 1)
  })

  it('accepts the other entries of a batch with a forged one', async () => {
    const good = proven('catalog', entry('connection.mappings'))
    expect(await arrive(forgeries[0]![1], good)).toHaveLength(1)
    expect(await audited()).toContainEqual(expect.objectContaining({ id: good.id }))
  })
})
