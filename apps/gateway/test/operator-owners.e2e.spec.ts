import { services } from '@connectivity/contracts/identity'
import { forwardedOperations } from '@connectivity/contracts/operators-api'
import { GatewayUnderTest, identityOf } from './gateway-under-test.js'
import { ScriptedServices } from './scripted-services.js'

/** The gateway before all services. */
describe("an operator's call that a service owns", () => {
  const stubs = new ScriptedServices()
  const gateway = new GatewayUnderTest()
  let connection: string
  beforeAll(async () => {
    await gateway.start(await stubs.start())
    connection = await gateway.pilotConnection(await gateway.approvedApplication())
    for (const service of services) stubs.respond[service] = () => ({ schema_version: '1.0.0' })
  })
  afterAll(async () => {
    await gateway.stop()
    stubs.stop()
  })

  /** Every call with its owner; of a call whose path names the owner, one for each service. */
  const calls = forwardedOperations.flatMap(({ method, path, owner }) =>
    (owner ? [owner] : services).map((asked) => [method, path.replace('{service}', asked), asked] as const),
  )
  it.each(calls)(
    '%s %s goes to %s, for which its identity is made, and to no other service',
    async (method, template, owner) => {
      for (const service of services) stubs.asked[service].length = 0
      const path = template.replace('{id}', connection).replace('{event_id}', 'evt_1')
      const answer = await gateway.ops(method, path, method === 'GET' ? undefined : { reason: 'r' })
      expect(answer).toMatchObject({ status: 200, text: '{"schema_version":"1.0.0"}' })
      expect(services.filter((service) => stubs.asked[service].length > 0)).toEqual([owner])
      const [request, ...others] = stubs.asked[owner]
      expect([request!.method, request!.url, others]).toEqual([method, `/ops/v1${path}`, []])
      expect(identityOf(request!, owner)).not.toBeNull()
    },
  )
})
