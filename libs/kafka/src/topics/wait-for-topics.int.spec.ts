import { randomUUID } from 'node:crypto'
import { openKafka, topic } from '../../test/fixture.js'
import { waitForTopics } from './wait-for-topics.js'

describe('topics that a consumer needs', () => {
  it('are awaited until they exist', async () => {
    const kafka = await openKafka()
    const late = `late-${randomUUID()}`
    const waiting = waitForTopics(kafka, [topic, late], new AbortController().signal)
    const admin = kafka.admin()
    await admin.connect()
    try {
      await expect(Promise.race([waiting, admin.listTopics().then(() => 'still waiting')])).resolves.toBe(
        'still waiting',
      )
      await admin.createTopics({ waitForLeaders: false, topics: [{ topic: late, numPartitions: 1 }] })
      await waiting
    } finally {
      await admin.disconnect()
    }
  })

  it('are named when they do not appear', async () => {
    const kafka = await openKafka()
    await expect(
      waitForTopics(kafka, [topic, 'nobody-creates-this'], new AbortController().signal, 100),
    ).rejects.toThrow(/^topics are missing: nobody-creates-this;/)
  })
})
