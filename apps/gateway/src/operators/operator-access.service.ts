import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { Inject, Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import type { OperatorRole } from '@connectivity/contracts/identity'
import { OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { pathOf } from '@connectivity/contracts/request-target'
import { rolesFor } from '@connectivity/service-kit/identity'
import { checkJsonMediaType, headerValues } from '@connectivity/service-kit/http'
import type { FastifyRequest } from 'fastify'
import { createLocalJWKSet, createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js'
import { hasBody } from '../http/requests/received-body.js'
import { OperatorMethods } from './operator-methods.service.js'
import { checkPrivateHost } from './private-host.js'

/** The operator that the token names. */
interface Operator {
  /** The token's `sub`: the actor of audit entries. */
  subject: string
  roles: readonly string[]
}

const ALGORITHMS = ['RS256', 'ES256', 'EdDSA']
/** jose's codes for a JWKS that does not answer or is not one: not the token's fault. */
const KEYS_UNREADABLE = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID'])

/** Reads the keys from the configured URL or file; a file is read only at the start of the process. */
const keysFrom = (place: string): JWTVerifyGetKey =>
  /^https?:\/\//.test(place)
    ? createRemoteJWKSet(new URL(place))
    : createLocalJWKSet(JSON.parse(readFileSync(place, 'utf8')))

/** The most powerful role of a token. */
const roleOf = (roles: readonly string[]): OperatorRole =>
  roles.includes('connectivity:operate') ? 'connectivity:operate' : 'connectivity:read'

/** Admits operators on the private listener by token and role. */
@Injectable()
export class OperatorAccess {
  private readonly keys: JWTVerifyGetKey

  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly methods: OperatorMethods,
  ) {
    this.keys = keysFrom(config.OPERATOR_JWKS)
  }

  /**
   * Sets `caller` of requests under /ops/v1, even at unknown paths; all other paths pass.
   * @throws ServiceError 400 for another Host, 401 `invalid_token`, 405, 403 `insufficient_role`, 415 for a body that
   * is not JSON
   */
  async admit(request: FastifyRequest): Promise<void> {
    checkPrivateHost(this.config.PRIVATE_HOSTS, request)
    if (!request.originalUrl.startsWith(`${OPERATORS_PATH}/`)) return
    const operator = await this.identify(request.raw)
    request.caller = { partner: null, operator: callerOf(operator, request) }
    this.methods.check(request)
    checkRole(operator, request)
    if (hasBody(request)) checkJsonMediaType(request.headers, request.raw.rawHeaders)
  }

  private async identify({ headers: { authorization }, rawHeaders }: IncomingMessage): Promise<Operator> {
    if (headerValues(rawHeaders, 'authorization').length > 1) throw invalidToken('Send one Authorization header.')
    const token = /^Bearer +([^ ]+)$/i.exec(authorization ?? '')?.[1]
    if (token === undefined) throw invalidToken('Send the operator token as "Authorization: Bearer <token>".')
    const payload = await this.verify(token)
    checkEnd(payload.exp!, this.config.OPERATOR_TOKEN_HOURS)
    return operatorOf(payload)
  }

  private async verify(token: string): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(token, this.keys, {
        issuer: this.config.OPERATOR_ISSUER,
        audience: this.config.OPERATOR_AUDIENCE,
        algorithms: ALGORITHMS,
        requiredClaims: ['exp', 'sub'],
      })
      return payload
    } catch (error) {
      if (!(error instanceof errors.JOSEError) || KEYS_UNREADABLE.has(error.code)) {
        throw new ServiceError('service_unavailable', "The operators' keys cannot be read; try again.", {
          retryAfterSeconds: 5,
        })
      }
      throw invalidToken(reason(error))
    }
  }
}

/** The operator as services see it, for the calls that the gateway answers itself. */
const callerOf = ({ subject, roles }: Operator, { method, originalUrl, id }: FastifyRequest) => ({
  subject,
  role: roleOf(roles),
  method,
  path: pathOf(originalUrl),
  correlation_id: id,
})

const invalidToken = (message: string): ServiceError => new ServiceError('invalid_token', message)

const reason = (error: Error): string =>
  error instanceof errors.JWTExpired
    ? 'The operator token has expired; obtain a new one.'
    : 'The operator token is not valid; check its issuer, audience and signature.'

/** Allowed difference between the clocks of the gateway and of the identity provider, seconds. */
const CLOCK_DIFFERENCE = 60

/** @param exp Unix seconds */
function checkEnd(exp: number, longestHours: number): void {
  if (exp <= Date.now() / 1000 + longestHours * 3600 + CLOCK_DIFFERENCE) return
  throw invalidToken(`The operator token is valid for too long; obtain one that ends within ${longestHours} hours.`)
}

/** Letters, digits, punctuation and symbols: the subject appears unchanged in audit entries and logs. */
const SUBJECT = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]{1,200}$/u

function operatorOf({ sub, roles }: JWTPayload): Operator {
  if (typeof sub !== 'string' || !SUBJECT.test(sub))
    throw invalidToken('The operator token needs a subject (`sub`): a string of 1 to 200 visible characters.')
  return { subject: sub, roles: Array.isArray(roles) ? roles.filter((role) => typeof role === 'string') : [] }
}

function checkRole({ roles }: Operator, request: FastifyRequest): void {
  const needed: readonly string[] = rolesFor(request.method, pathOf(request.originalUrl))
  if (needed.some((role) => roles.includes(role))) return
  throw new ServiceError('insufficient_role', `This call needs the role ${needed[0]}, which the token does not hold.`)
}
