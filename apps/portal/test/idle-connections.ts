import { API, type Running } from './portal-stack.js'

/** Tests of a connection that does not answer calls. */
export function describeIdleConnections(running: () => Running): void {
  it('asks nothing about a connection that answers nothing, and says why', async () => {
    const { portal, developer } = running()
    const { operators, demo } = portal.stack
    const { application_id } = demo.applications[0]!
    const wanted = { application_id, source_property_id: 'no-visitors', external_property_id: 'IDLE' }
    const id = await operators.connect(wanted)
    await operators.call('POST', `/connections/${id}/transitions`, { to: 'disabled', public_reason: 'Contract ended.' })
    const before = developer.traffic.length
    for (const page of ['', 'mappings', 'events', 'reservations/RSV-1120']) {
      await developer.goto(`/portal/connections/${id}/${page}`.replace(/\/$/, ''))
      await developer.shows('Operations say: Contract ended.')
    }
    const asked = developer.traffic.slice(before).map(({ target }) => target)
    expect(asked.filter((target) => target.startsWith(`${API}/reservations`) || target.includes(id))).toEqual([])
  })
}
