import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Authority } from '@connectivity/testing/certificates'
import { GatewayUnderTest } from './gateway-under-test.js'
import type { Partner } from './partner.js'

const authority = new Authority()
const stranger = new Authority()

/** A service with the certificate that an authority issues for `localhost`. */
async function service(issuer: Authority) {
  const server = createServer(issuer.issue('localhost'), (_request, response) => response.end('{"served":true}'))
  server.listen(0)
  await once(server, 'listening')
  return { server, url: `https://localhost:${(server.address() as AddressInfo).port}` }
}

describe('services behind TLS', () => {
  const gateway = new GatewayUnderTest()
  let trusted: Awaited<ReturnType<typeof service>>
  let untrusted: Awaited<ReturnType<typeof service>>
  let partner: Partner
  let property: string

  beforeAll(async () => {
    ;[trusted, untrusted] = await Promise.all([service(authority), service(stranger)])
    await gateway.start({
      RESERVATION_FEED_URL: trusted.url,
      ARI_URL: untrusted.url,
      SERVICES_CA: authority.certificate,
    })
    property = await gateway.pilotConnection(await gateway.approvedApplication())
    partner = gateway.partner(await gateway.signingKey(property))
  })
  afterAll(async () => {
    await gateway.stop()
    for (const { server } of [trusted, untrusted]) server.close().closeAllConnections()
    for (const each of [authority, stranger]) each.remove()
  })

  it('are called when the given authority has issued their certificate', async () => {
    const { status, json } = await partner.get(`/reservations?property_id=${property}`)
    expect([status, json]).toEqual([200, { served: true }])
  })

  it('receive nothing when another authority has issued their certificate', async () => {
    const asked: unknown[] = []
    untrusted.server.on('request', (request) => asked.push(request))
    const path = `/ari?property_id=${property}&room_id=rm_1&date_from=2026-12-01&date_to=2026-12-02`
    const { status, json } = await partner.get(path)
    expect([status, json]).toMatchObject([503, { error: { code: 'service_unavailable' } }])
    expect(asked).toEqual([])
  })
})
