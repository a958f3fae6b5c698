import { createHash } from 'node:crypto'
import { Database } from '@connectivity/database'
import { migrate } from '@connectivity/database/migrate'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { migrations } from '../../migrations/migrations.js'
import { SignatureBindingStore, type SignatureUse } from './signature-binding.store.js'

describe('signature bindings', () => {
  let test: TestDatabase
  let gateways: Database[]
  let stores: SignatureBindingStore[]
  beforeAll(async () => {
    test = await createDatabase()
    const options = { url: test.url, applicationName: 'test', migrations }
    await migrate(options)
    gateways = [new Database(options), new Database(options)]
    stores = gateways.map((gateway) => new SignatureBindingStore(gateway))
  })
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()))
    await test.drop()
  })

  const hashOf = (name: string) => createHash('sha256').update(name).digest('hex')
  const soon = () => Math.floor(Date.now() / 1000) + 300
  const use = (signature: string, key: string, more: { target?: string; expiresAt?: number } = {}) => {
    const { target = '/ari', expiresAt = soon() } = more
    return { signatureHash: hashOf(signature), key, targetHash: hashOf(target), expiresAt }
  }
  const bind = async (gateway: number, one: SignatureUse) => (await stores[gateway]!.bind([one]))[0]!
  const usedAs = (key: string, target = '/ari') => ({ key, targetHash: hashOf(target) })

  it('give every use of a signature the first key and target, on every gateway', async () => {
    for (let round = 0; round < 20; round += 1) {
      const signature = `signature ${round}`
      const uses = Array.from({ length: 16 }, (_, index) =>
        bind(index % 2, use(signature, `key ${index}`, { target: `/ari?n=${index}` })),
      )
      const [first, ...others] = await Promise.all(uses)
      for (const other of others) expect(other).toEqual(first)
      expect(await bind(1, use(signature, 'another'))).toEqual(first)
    }
  })

  it('bind many signatures in one statement, each to its first use in the list', async () => {
    await bind(0, use('known', 'earlier'))
    const bound = await stores[1]!.bind([use('new', 'a'), use('known', 'b'), use('new', 'c'), use('other', 'd')])
    expect(bound).toEqual([usedAs('a'), usedAs('earlier'), usedAs('a'), usedAs('d')])
  })

  it('of the same signatures in any order on two gateways wait for each other without a deadlock', async () => {
    for (let round = 0; round < 20; round += 1) {
      const uses = Array.from({ length: 50 }, (_, index) => use(`crossed ${round} ${index}`, 'k'))
      const [one, other] = await Promise.all([stores[0]!.bind(uses), stores[1]!.bind(uses.toReversed())])
      expect(other.toReversed()).toEqual(one)
    }
  })

  it('are kept until the signature has expired, plus a minute for clock differences', async () => {
    const now = Math.floor(Date.now() / 1000)
    await bind(0, use('old', 'a', { expiresAt: now - 70 }))
    await bind(0, use('late', 'a', { expiresAt: now - 50 }))
    expect(await stores[1]!.purge()).toBe(1)
    expect(await bind(1, use('late', 'b', { expiresAt: now }))).toEqual(usedAs('a'))
    expect(await bind(1, use('old', 'b', { expiresAt: now }))).toEqual(usedAs('b'))
  })
})
