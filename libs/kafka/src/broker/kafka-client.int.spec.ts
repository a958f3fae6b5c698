import { createRequire } from 'node:module'
import { openKafka } from '../../test/fixture.js'
import { createProducer } from './kafka-client.js'

const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as {
  prototype: { checkPendingRequests: () => void }
}

it('an idle connection does not wake the process up every millisecond', async () => {
  const producer = createProducer(await openKafka())
  await producer.connect()
  const original = prototype.checkPendingRequests
  let wakeUps = 0
  prototype.checkPendingRequests = function () {
    wakeUps++
    return original.call(this)
  }
  try {
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(wakeUps).toBeLessThan(10)
  } finally {
    prototype.checkPendingRequests = original
    await producer.disconnect()
  }
})
