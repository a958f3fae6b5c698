import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { as, readConfig } from '@connectivity/service-kit/config'
import { createLogger } from '@connectivity/service-kit/logging'
import { Authority } from '@connectivity/testing/certificates'
import { brokerAccess } from './broker-access.js'
import { BrokerConnections } from './broker-connections.js'
import { brokerKeys } from './config.js'
import { createKafka } from './kafka-client.js'

describe('a broker whose authority was renewed', () => {
  it('is trusted by new connections', async () => {
    const [first, second] = [new Authority(), new Authority()]
    const server = createServer(first.issue('localhost')).on('tlsClientError', () => undefined)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const env = { KAFKA_BROKERS: `localhost:${(server.address() as AddressInfo).port}`, KAFKA_SECURITY_PROTOCOL: 'SSL' }
    let trusted = first.certificate
    const KAFKA_CA = as.authorities(trusted, () => trusted)
    const access = brokerAccess({ ...readConfig(brokerKeys, env), KAFKA_CA })
    const kafka = createKafka({ ...access, instance: 'test' }, createLogger('test', 'silent'))
    const connections = new BrokerConnections(kafka)
    const connecting = kafka
      .admin()
      .connect()
      .catch(() => undefined)
    const [connection] = (await once(server, 'secureConnection')) as [TLSSocket]
    server.setSecureContext(second.issue('localhost'))
    connection.destroy()
    await once(server, 'tlsClientError')
    trusted = second.certificate
    const [renewed] = (await once(server, 'secureConnection')) as [TLSSocket]
    await connections.cut()
    await connecting
    renewed.destroy()
    server.close()
    await once(server, 'close')
    for (const authority of [first, second]) authority.remove()
  })
})
