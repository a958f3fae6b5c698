import { createSecretKey } from 'node:crypto'
import { outcome } from '../../test/fake-receiver.js'
import type { Outcome, SendOptions, SendRequest } from '../sending/sender.js'
import { CallbackSender } from './callback-sender.service.js'

const message = { event_id: 'evt_1', type: 'callback.challenge', property_id: 'con_1' }
const keys = [{ key: createSecretKey(Buffer.alloc(32, 1)), endsAt: Infinity }]

/** A sender that returns the given outcome and records its requests. */
function sending(given: Partial<Outcome>) {
  const asked: { request: SendRequest; options: SendOptions | undefined }[] = []
  const sender = new CallbackSender({
    send: async (request, options) => {
      asked.push({ request, options })
      return outcome(given)
    },
  })
  return { asked, sent: sender.send('https://hooks.example.com/', message, keys, { wantsBody: true }) }
}

describe('a message about a callback', () => {
  it("is signed when it is sent, and waits for a place no longer than the gateway's deadline allows", async () => {
    const { asked, sent } = sending({ status: 204 })
    await sent
    const [{ request, options }] = asked as [(typeof asked)[number]]
    expect(options).toEqual({ wantsBody: true, maxWait: 3_000 })
    const now = Math.floor(Date.now() / 1_000)
    expect(Number(request.headers(Date.now())['webhook-timestamp'])).toBeGreaterThanOrEqual(now)
  })

  it('is refused with Retry-After while its host is busy with our other requests', async () => {
    const { sent } = sending({ error: 'no_place' })
    await expect(sent).rejects.toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 15 })
  })
})
