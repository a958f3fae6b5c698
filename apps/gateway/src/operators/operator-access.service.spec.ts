import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { GatewayConfig } from '../config.js'
import { OperatorAccess } from './operator-access.service.js'
import type { OperatorMethods } from './operator-methods.service.js'

describe("operators' keys from a URL", () => {
  const keys = { status: 200, text: '' }
  const server = createServer((_request, response) => response.writeHead(keys.status).end(keys.text))
  let authorization: string
  let place: string

  beforeAll(async () => {
    const { publicKey, privateKey } = await generateKeyPair('EdDSA')
    keys.text = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), alg: 'EdDSA' }] })
    const token = new SignJWT({ roles: ['connectivity:read'], sub: 'olga', iss: 'i', aud: 'a' })
    authorization = `Bearer ${await token.setProtectedHeader({ alg: 'EdDSA' }).setExpirationTime('1h').sign(privateKey)}`
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    place = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`
  })
  afterAll(() => server.close())

  const admit = async (path: string) => {
    const names = {
      OPERATOR_ISSUER: 'i',
      OPERATOR_AUDIENCE: 'a',
      OPERATOR_TOKEN_HOURS: 12,
      PRIVATE_HOSTS: new Set<string>(),
    }
    const config = { OPERATOR_JWKS: place, ...names } as Partial<GatewayConfig> as GatewayConfig
    const raw = { headers: { authorization }, rawHeaders: ['Authorization', authorization] }
    const request = { originalUrl: path, method: 'GET', headers: raw.headers, raw } as FastifyRequest
    const methods: Pick<OperatorMethods, 'check'> = { check: () => undefined }
    await new OperatorAccess(config, methods as OperatorMethods).admit(request)
    return request.caller?.operator
  }

  it('admit an operator', async () => {
    expect(await admit('/ops/v1/audit')).toMatchObject({ subject: 'olga', role: 'connectivity:read' })
  })

  it('that cannot be read cause 503, not 401', async () => {
    keys.status = 500
    await expect(admit('/ops/v1/audit')).rejects.toThrow(expect.objectContaining({ code: 'service_unavailable' }))
  })

  it('are not needed for probes', async () => {
    expect(await admit('/health/live')).toBeUndefined()
  })
})
