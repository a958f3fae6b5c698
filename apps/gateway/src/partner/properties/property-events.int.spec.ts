import { Database } from '@connectivity/database'
import { migrate } from '@connectivity/database/migrate'
import { type ConsumedMessage, TopicBatch } from '@connectivity/kafka/consuming'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { propertyEvent } from '@connectivity/testing/events'
import { migrations } from '../../migrations/migrations.js'
import { KnownPropertyStore } from '../../registry/connections/known-property.store.js'
import { PropertyEventsConsumer } from './property-events.consumer.js'

describe('properties that the booking engine has named', () => {
  let test: TestDatabase
  let database: Database
  const store = new KnownPropertyStore()

  beforeAll(async () => {
    test = await createDatabase()
    const options = { url: test.url, applicationName: 'test', migrations }
    await migrate(options)
    database = new Database(options)
  })
  afterAll(async () => {
    await database.close()
    await test.drop()
  })

  const message = (key: string | null, value: string): ConsumedMessage => ({
    offset: 0n,
    key: key === null ? null : Buffer.from(key),
    value: Buffer.from(value),
  })
  const snapshot = (property_id: string, key: string | null = property_id) =>
    message(key, propertyEvent({ property_id }))
  const consume = (...messages: ConsumedMessage[]) =>
    database.transaction(async (tx) => {
      const batch = new TopicBatch('booking.properties.v1', 0, messages, tx)
      await new PropertyEventsConsumer(store).handle(batch)
      return batch.deadLetters
    })
  const known = async (...ids: string[]) => [...(await store.among(database, ids))].sort()

  it('are known from their first snapshot on, regardless of repetition and order', async () => {
    expect(await known('prop_1', 'prop_2')).toEqual([])
    await consume(snapshot('prop_1'), snapshot('prop_2'), snapshot('prop_1'))
    await consume(snapshot('prop_1'))
    expect(await known('prop_1', 'prop_2', 'prop_3')).toEqual(['prop_1', 'prop_2'])
  })

  it('exclude those of messages that the catalog sets aside, which do not become dead letters here', async () => {
    const unreadable = ['', 'no json', '{"data":{"property_id":"prop_bad"}}']
    const deadLetters = await consume(...unreadable.map((value) => message('prop_bad', value)), snapshot('prop_good'))
    expect([deadLetters, await known('prop_bad', 'prop_good')]).toEqual([[], ['prop_good']])
    await consume(snapshot('prop_bad'))
    expect(await known('prop_bad')).toEqual(['prop_bad'])
  })

  it('are found even in messages under a wrong key', async () => {
    const keys = [null, '', 'a\u0000b', 'a\u001fb']
    await consume(...keys.map((key, index) => snapshot(`prop_key_${index}`, key)))
    expect(await known(...keys.map((_, index) => `prop_key_${index}`))).toHaveLength(keys.length)
  })

  it('are read once: a known property costs no parsing', async () => {
    await consume(snapshot('prop_once'))
    await consume(message('prop_once', 'anything'), snapshot('prop_hidden', 'prop_once'))
    expect(await known('prop_hidden')).toEqual([])
  })
})
