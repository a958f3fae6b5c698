import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { eventually } from '@connectivity/testing/eventually'
import { AnswerMemory } from '../src/forwarding/answers/answer-memory.service.js'
import { GatewayUnderTest } from './gateway-under-test.js'
import { type Partner, signatureHeaders } from './partner.js'
import { headOf, RawClient } from './raw-client.js'

const MIB = 1024 * 1024

describe('the memory for answers', () => {
  const gateway = new GatewayUnderTest()
  const PAGE = Buffer.alloc(4 * MIB, 'a')
  let partner: Partner
  let target: string
  let memory: AnswerMemory

  beforeAll(async () => {
    await gateway.start()
    const connection = await gateway.pilotConnection(await gateway.approvedApplication())
    partner = gateway.partner(await gateway.signingKey(connection))
    target = `/reservations?property_id=${connection}`
    memory = gateway.app.get(AnswerMemory, { strict: false })
  })
  afterAll(() => gateway.stop())

  const givenBack = () => eventually(() => expect([memory.keptBytes, memory.applications]).toEqual([0, 0]))

  /** Sends two requests and reads nothing; the system's buffers take at most the first answer. */
  const stall = async (): Promise<RawClient> => {
    const raw = await RawClient.open(gateway.publicOrigin)
    raw.socket.on('error', () => undefined).pause()
    const headers = Object.entries(signatureHeaders(partner.key, BASE_PATH + target))
    const head = headOf(`GET ${BASE_PATH}${target} HTTP/1.1`, 'Host: h', ...headers.map((each) => each.join(': ')))
    await raw.send(head + head)
    await eventually(() => expect(memory.keptBytes).toBeGreaterThan(0))
    return raw
  }

  it('is given back when a client resets its connection', async () => {
    gateway.feed.script = (_request, response) => void response.end(PAGE)
    const raw = await stall()
    raw.socket.resetAndDestroy()
    await givenBack()
  })

  it('is given back when a client finally reads everything', async () => {
    gateway.feed.script = (_request, response) => void response.end(PAGE)
    const raw = await stall()
    raw.socket.resume()
    await eventually(() => expect(raw.received.length).toBeGreaterThan(2 * PAGE.length))
    await givenBack()
    raw.socket.destroy()
  })

  it('is given back when the service breaks off in the middle of an answer', async () => {
    gateway.feed.script = (request, response) => {
      response.writeHead(200, { 'content-length': 4 * PAGE.length })
      // More than the system's buffers take, whose size the system chooses.
      for (let count = 0; count < 3; count++) response.write(PAGE)
      const isOver = () => request.socket.destroyed || memory.keptBytes > 3 * MIB
      void eventually(() => expect(isOver()).toBe(true)).finally(() => request.socket.destroy())
    }
    const raw = await stall()
    await givenBack()
    raw.socket.destroy()
  })

  it.each(['HEAD', 'GET'])('is never taken by a %s that is answered without a body', async (method) => {
    gateway.feed.script = (_request, response) =>
      method === 'HEAD' ? void response.end(PAGE) : void response.writeHead(304).end()
    expect((await partner.get(target, { method })).text).toBe('')
    await givenBack()
  })
})
