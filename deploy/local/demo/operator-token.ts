// The launcher is the local stack's identity provider for operators: it signs their tokens itself.
import { createPrivateKey, sign } from 'node:crypto'
import type { OperatorTokens } from '../../../tools/toolkit/hand-over.ts'
import { operators } from '../services/environment.ts'
import type { Secrets } from '../services/secrets.ts'

/** The part of a stack's secrets that signs operators' tokens. */
type TokenSecrets = Pick<Secrets, 'operator'>

/** Operator that a token is issued to. */
interface Operator {
  subject: string
  roles: string[]
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A JWT (EdDSA) for `subject` with the given roles, valid for as long as the local gateway accepts it. */
function operatorToken(secrets: TokenSecrets, { subject, roles }: Operator): string {
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

/** Signs the two tokens of demo.json. */
export const operatorTokens = (secrets: TokenSecrets): OperatorTokens => ({
  token: operatorToken(secrets, { subject: 'local-operator', roles: ['connectivity:operate', 'connectivity:read'] }),
  read_token: operatorToken(secrets, { subject: 'local-reader', roles: ['connectivity:read'] }),
})
