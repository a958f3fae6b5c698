import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { get, type RequestOptions } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { Authority } from '@connectivity/testing/certificates'
import { eventually } from '@connectivity/testing/eventually'
import { PrivateListener } from '../src/http/listeners/private-listener.service.js'
import { GatewayUnderTest } from './gateway-under-test.js'

const NAME = 'gateway-private'
const authority = new Authority()
const folder = mkdtempSync(join(tmpdir(), 'https-listeners-'))

describe('a gateway with certificates', () => {
  const gateway = new GatewayUnderTest()
  let publicPort: number
  let privatePort: number

  beforeAll(async () => {
    const { cert, key } = authority.issue(NAME)
    writeFileSync(join(folder, 'tls.crt'), cert)
    writeFileSync(join(folder, 'tls.key'), key)
    await gateway.start({ PUBLIC_TLS_FILES: folder, PRIVATE_TLS_FILES: folder })
    publicPort = Number(new URL(gateway.publicOrigin).port)
    privatePort = gateway.app.get(PrivateListener, { strict: false }).port
  })
  afterAll(async () => {
    await gateway.stop()
    authority.remove()
    rmSync(folder, { recursive: true })
  })

  /** @returns the status of the answer */
  const ask = async (given: RequestOptions): Promise<number> => {
    const asked = get({ host: '127.0.0.1', servername: NAME, ca: authority.certificate, agent: false, ...given })
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    answer.resume()
    return answer.statusCode!
  }

  it('serves probes and operators', async () => {
    expect(await ask({ port: privatePort, path: '/health/live' })).toBe(200)
    const headers = { authorization: `Bearer ${await gateway.staff.token(['connectivity:read'])}` }
    expect(await ask({ port: privatePort, path: '/ops/v1/applications', headers })).toBe(200)
  })

  it('serves partners', async () => {
    expect(await ask({ port: publicPort, path: `${BASE_PATH}/properties` })).toBe(401)
  })

  it('refuses a body without credentials before it has come, and then closes the connection in order', async () => {
    const length = 1024 * 1024
    const client = connect({ host: '127.0.0.1', port: publicPort, servername: NAME, ca: authority.certificate })
    await once(client, 'secureConnect')
    client.write(`POST ${BASE_PATH}/ari HTTP/1.1\r\nHost: h\r\nContent-Length: ${length}\r\n\r\n{`)
    const text = client.toArray().then((chunks: Buffer[]) => Buffer.concat(chunks).toString())
    await eventually(() => expect(client.bytesRead).toBeGreaterThan(0))
    client.write(Buffer.alloc(length / 2, ' '))
    expect(await text).toMatch(/^HTTP\/1.1 401 [^]*"invalid_signature"/)
  })

  it('proves its name to clients, which refuse another', async () => {
    const other = ask({ port: privatePort, path: '/health/live', servername: 'another-name' })
    await expect(other).rejects.toThrow(/altnames/)
  })

  it('answers nothing without TLS', async () => {
    for (const port of [publicPort, privatePort])
      await expect(fetch(`http://127.0.0.1:${port}/health/live`)).rejects.toThrow()
  })
})
