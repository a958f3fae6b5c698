import type { Server } from 'node:http'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { eventually } from '@connectivity/testing/eventually'
import { GatewayUnderTest } from './gateway-under-test.js'
import { type Partner, signatureHeaders } from './partner.js'
import { headOf, RawClient } from './raw-client.js'

const MIB = 1024 * 1024
/** More than all buffers on the way hold together. */
const ENDLESS = 256 * MIB

describe('slow readers', () => {
  const gateway = new GatewayUnderTest()
  let slow: Partner
  let quick: Partner
  let pages: [string, string]
  /** Bytes that the service could send, and the number of its open answers. */
  let sent = 0
  let open = 0

  beforeAll(async () => {
    await gateway.start()
    const [a, b] = [
      await gateway.pilotConnection(await gateway.approvedApplication()),
      await gateway.pilotConnection(await gateway.approvedApplication()),
    ]
    ;[slow, quick] = [gateway.partner(await gateway.signingKey(a)), gateway.partner(await gateway.signingKey(b))]
    pages = [`/reservations?property_id=${a}`, `/reservations?property_id=${b}`]
    const chunk = Buffer.alloc(64 * 1024, 'a')
    gateway.feed.script = (request, response) => {
      if (!request.url!.includes(a)) return void response.end('{"quick":true}')
      open += 1
      response.once('close', () => (open -= 1))
      const more = (): void => {
        let goesOn = true
        while (goesOn) {
          goesOn = response.write(chunk)
          sent += chunk.length
        }
        response.once('drain', more)
      }
      response.writeHead(200, { 'content-length': ENDLESS })
      more()
    }
  })
  afterAll(() => gateway.stop())
  beforeEach(() => void (sent = 0))

  /** Asks for a page and does not read it. */
  const stall = async (): Promise<RawClient> => {
    const target = BASE_PATH + pages[0]
    const raw = await RawClient.open(gateway.publicOrigin)
    raw.socket.pause()
    const headers = Object.entries(signatureHeaders(slow.key, target)).map(([name, value]) => `${name}: ${value}`)
    return raw.send(headOf(`GET ${target} HTTP/1.1`, 'Host: h', ...headers))
  }

  const untilStill = () => {
    let last = -1
    return eventually(() => {
      const before = last
      last = sent
      expect(sent).toBe(before)
      expect(sent).toBeGreaterThan(0)
    })
  }

  it('slow the service down instead of filling memory', async () => {
    const raw = await stall()
    await untilStill()
    expect(sent).toBeLessThan(32 * MIB)
    raw.socket.destroy()
    await eventually(() => expect(open).toBe(0))
  })

  it('of one application do not keep another from being served', async () => {
    const rawClients = await Promise.all(Array.from({ length: 24 }, stall))
    await eventually(() => expect(open).toBe(8))
    expect((await quick.get(pages[1])).json).toEqual({ quick: true })
    // The feed serves only the requests whose partner still waits.
    for (const { socket } of rawClients.slice(0, 20)) socket.destroy()
    await eventually(() => expect(open).toBe(4))
    for (const { socket } of rawClients) socket.destroy()
    await eventually(() => expect(open).toBe(0))
  })

  it('are disconnected when they stop reading altogether', async () => {
    const server = gateway.app.getHttpServer() as Server
    const usual = server.timeout
    server.timeout = 500
    const raw = await stall()
    server.timeout = usual
    await eventually(() => expect(open).toBe(1))
    await eventually(() => expect(open).toBe(0), { deadline: 5_000 })
    raw.socket.destroy()
  })
})
