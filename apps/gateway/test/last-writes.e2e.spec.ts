import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { eventually } from '@connectivity/testing/eventually'
import { GatewayUnderTest } from './gateway-under-test.js'

describe('a gateway that stops while it serves a request', () => {
  const gateway = new GatewayUnderTest()
  beforeAll(() => gateway.start())
  afterAll(() => gateway.stop())

  const untilClosed = (origin: string) =>
    eventually(async () => {
      const { hostname, port } = new URL(origin)
      const socket = connect(Number(port), hostname)
      await expect(once(socket, 'connect').finally(() => socket.destroy())).rejects.toThrow('ECONNREFUSED')
    })

  it('writes the request and the poll that end last', async () => {
    const connection = await gateway.pilotConnection(await gateway.approvedApplication())
    const partner = gateway.partner(await gateway.signingKey(connection))
    await gateway.untilServed(() => partner.get('/properties'))
    const held = Promise.withResolvers<ServerResponse>()
    gateway.feed.script = (_request, response) => held.resolve(response)
    const answered = partner.get(`/reservations?property_id=${connection}`)
    const response = await held.promise
    const closed = gateway.close()
    await untilClosed(gateway.publicOrigin)
    response.end('{}')
    const { status, headers } = await answered
    expect(status).toBe(200)
    await closed
    const text = 'SELECT status FROM logged_request WHERE correlation_id = $1'
    expect(await gateway.sql(text, [headers['x-correlation-id']])).toEqual([{ status: 200 }])
    expect(await gateway.sql('SELECT connection_id FROM connection_activity')).toEqual([{ connection_id: connection }])
  })
})
