import { createHash } from 'node:crypto'
import { Database } from '@connectivity/database/database'
import { Purging } from '@connectivity/database/purging'
import { createLogger } from '@connectivity/service-kit/logging'
import { migrate } from '@connectivity/database/migrate'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { migrations } from '../../migrations/migrations.js'
import { SignatureBindingStore } from './signature-binding.store.js'

describe('replay bindings', () => {
  let test: TestDatabase
  let gateways: Database[]
  let stores: SignatureBindingStore[]
  beforeAll(async () => {
    test = await createDatabase()
    const options = { url: test.url, applicationName: 'test', migrations }
    await migrate(options)
    gateways = [new Database(options), new Database(options)]
    stores = gateways.map((gateway) => new SignatureBindingStore(gateway, new Purging(createLogger('test', 'silent'))))
  })
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()))
    await test.drop()
  })

  const hashOf = (name: string) => createHash('sha256').update(name).digest()
  const use = (key: string, target = '/ari') => ({ key, targetHash: hashOf(target) })
  const soon = () => Math.floor(Date.now() / 1000) + 300

  it('give every use of a signature the first key and target, on every gateway', async () => {
    for (let round = 0; round < 20; round += 1) {
      const uses = Array.from({ length: 16 }, (_, index) =>
        stores[index % 2]!.bind(hashOf(`signature ${round}`), use(`key ${index}`, `/ari?n=${index}`), soon()),
      )
      const [first, ...others] = await Promise.all(uses)
      for (const other of others) expect(other).toEqual(first)
      expect(await stores[1]!.bind(hashOf(`signature ${round}`), use('another'), soon())).toEqual(first)
    }
  })

  it('are kept until the signature has expired, plus a minute for clock differences', async () => {
    const now = Math.floor(Date.now() / 1000)
    await stores[0]!.bind(hashOf('old'), use('a'), now - 70)
    await stores[0]!.bind(hashOf('late'), use('a'), now - 50)
    expect(await stores[1]!.purge()).toBe(1)
    expect(await stores[1]!.bind(hashOf('late'), use('b'), now)).toEqual(use('a'))
    expect(await stores[1]!.bind(hashOf('old'), use('b'), now)).toEqual(use('b'))
  })
})
