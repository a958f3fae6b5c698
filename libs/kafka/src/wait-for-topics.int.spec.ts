import { randomUUID } from 'node:crypto'
import { openKafka, topic } from '../test/fixture.js'
import { waitForTopics } from './wait-for-topics.js'

describe('topics that a consumer needs', () => {
  it('are waited for until they are there', async () => {
    const kafka = await openKafka()
    const late = `late-${randomUUID()}`
    const waiting = waitForTopics(kafka, [topic, late])
    const admin = kafka.admin()
    await admin.connect()
    try {
      await expect(Promise.race([waiting, admin.listTopics().then(() => 'still waiting')])).resolves.toBe(
        'still waiting',
      )
      await admin.createTopics({ topics: [{ topic: late, numPartitions: 1 }] })
      await waiting
    } finally {
      await admin.deleteTopics({ topics: [late] })
      await admin.disconnect()
    }
  })

  it('are named when they do not come', async () => {
    const kafka = await openKafka()
    await expect(waitForTopics(kafka, [topic, 'nobody-creates-this'], 100)).rejects.toThrow(
      /^topics are missing: nobody-creates-this;/,
    )
  })
})
