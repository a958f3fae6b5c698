// The launcher is the local stack's identity provider for operators: it signs their tokens itself.
import { createPrivateKey, sign } from 'node:crypto'
import { operators } from '../services/environment.mjs'

const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A JWT (EdDSA) for `subject` with the given roles, valid for as long as the local gateway accepts it. */
function operatorToken(secrets, { subject, roles }) {
  const now = Math.floor(Date.now() / 1000)
  const header = { alg: 'EdDSA', typ: 'JWT', kid: secrets.operator.kid }
  const claims = {
    iss: operators.issuer,
    aud: operators.audience,
    sub: subject,
    iat: now,
    exp: now + operators.tokenHours * 3600,
    roles,
  }
  const input = `${encode(header)}.${encode(claims)}`
  const key = createPrivateKey({ key: secrets.operator, format: 'jwk' })
  return `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`
}

/** The two tokens of demo.json: one may make changes, the other only read. */
export const operatorTokens = (secrets) => ({
  token: operatorToken(secrets, { subject: 'local-operator', roles: ['connectivity:operate', 'connectivity:read'] }),
  read_token: operatorToken(secrets, { subject: 'local-reader', roles: ['connectivity:read'] }),
})
