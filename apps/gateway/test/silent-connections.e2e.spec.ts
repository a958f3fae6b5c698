import type { ConnectionState } from '@connectivity/contracts/connection-events'
import { GatewayUnderTest } from './gateway-under-test.js'
import { call } from './partner.js'

/** Connections by name: state, age, and time since the last poll; null: never polled. */
const connections: Record<string, [state: ConnectionState, age: string, polled: string | null]> = {
  'production, polled 31 minutes ago': ['production', '30 days', '31 minutes'],
  'production, polled 6 days ago': ['production', '30 days', '6 days'],
  'production, polled 29 minutes ago': ['production', '30 days', '29 minutes'],
  'production, polled 8 days ago': ['production', '30 days', '8 days'],
  'production, never polled': ['production', '1 hour', null],
  'pilot, polled an hour ago': ['pilot', '30 days', '1 hour'],
  'pilot, never polled': ['pilot', '1 hour', null],
  'pilot, new': ['pilot', '1 minute', null],
  'certification pending, polled an hour ago': ['certification_pending', '30 days', '1 hour'],
  'provisioning, never polled': ['provisioning', '1 hour', null],
  'disabled, polled an hour ago': ['disabled', '30 days', '1 hour'],
  'closed, polled an hour ago': ['closed', '30 days', '1 hour'],
}

describe('a connection without a poll for half an hour', () => {
  const gateway = new GatewayUnderTest()
  const nameOf = new Map<string, string>()

  beforeAll(async () => {
    await gateway.start()
    const application = await gateway.approvedApplication()
    for (const [name, [state, age, polled]] of Object.entries(connections)) {
      const id = await gateway.pilotConnection(application, `prop_${nameOf.size}`)
      nameOf.set(id, name)
      const become = 'UPDATE connection SET state = $2, created_at = now() - $3::interval WHERE connection_id = $1'
      await gateway.sql(become, [id, state, age])
      const poll = 'INSERT INTO connection_activity (connection_id, last_polled_at) VALUES ($1, now() - $2::interval)'
      if (polled) await gateway.sql(poll, [id, polled])
    }
  })
  afterAll(() => gateway.stop())

  it('is silent in the overview while in pilot or production, however long ago it polled', async () => {
    const { json } = await gateway.ops('GET', '/overview?limit=100')
    const shown = json.connections as { property_id: string; needs: string[] }[]
    const silent = shown.filter(({ needs }) => needs.includes('silent')).map((each) => nameOf.get(each.property_id))
    expect(silent.sort()).toEqual([
      'pilot, never polled',
      'pilot, polled an hour ago',
      'production, never polled',
      'production, polled 31 minutes ago',
      'production, polled 6 days ago',
      'production, polled 8 days ago',
    ])
  })

  it('has stopped polling for the alert if it is in production and polled within seven days', async () => {
    const { text } = await call(gateway.privateOrigin, '/metrics')
    // Polled 31 minutes and 6 days ago.
    expect(text).toContain('connectivity_connections_silent 2\n')
  })
})
