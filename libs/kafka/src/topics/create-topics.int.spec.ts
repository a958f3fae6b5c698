import { topics } from '@connectivity/contracts/topics'
import { eventually } from '@connectivity/testing/eventually'
import { ConfigResourceTypes } from 'kafkajs'
import { openKafka } from '../../test/fixture.js'
import { createTopics } from './create-topics.js'

describe('topics of an earlier release', () => {
  it('get a higher size limit where this one sends larger messages, and keep their other settings', async () => {
    const kafka = await openKafka()
    const admin = kafka.admin()
    await admin.connect()
    const resource = { type: ConfigResourceTypes.TOPIC, name: 'connectivity.operator-changes.v1' }
    const settings = async () => {
      const { resources } = await admin.describeConfigs({ includeSynonyms: false, resources: [resource] })
      const own = resources[0]!.configEntries.filter(({ isDefault }) => !isDefault)
      return Object.fromEntries(own.map(({ configName, configValue }) => [configName, configValue]))
    }
    const set = (given: Record<string, string>) =>
      admin.alterConfigs({
        validateOnly: false,
        resources: [{ ...resource, configEntries: Object.entries(given).map(([name, value]) => ({ name, value })) }],
      })
    const before = await settings()
    try {
      const earlier = { ...before, 'max.message.bytes': '1048576', 'segment.ms': '86400000' }
      await set(earlier)
      await eventually(async () => expect(await settings()).toEqual(earlier))
      expect(await createTopics(kafka, 12, 1)).toEqual([])
      const declared = String(topics['connectivity.operator-changes.v1'].maxMessageBytes)
      await eventually(async () => expect(await settings()).toEqual({ ...earlier, 'max.message.bytes': declared }))
    } finally {
      await set(before)
      await admin.disconnect()
    }
  })
})
