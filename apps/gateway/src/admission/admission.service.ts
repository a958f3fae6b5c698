import { Inject, Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { IGNORED_PARAMETERS_HEADER, parametersOf, unknownParameters } from '@connectivity/contracts/parameter-names'
import { maxBodyBytesOf, type Operation } from '@connectivity/contracts/partner-api'
import { queryOf } from '@connectivity/contracts/request-target'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LiveConnections } from '../live/live-connections.service.js'
import { Observations } from './observations.service.js'
import { RequestLimits } from './limits/request-limits.service.js'
import { SignatureBindings } from './signature-binding/signature-bindings.service.js'
import { type Authenticated, Authentication, unavailable } from './authentication/authentication.service.js'
import { addressedProperty, isAssigned, notAssigned, servingConnection } from './assignment/assignment.js'
import type { Sender } from '../http/body-budgets.service.js'
import { AuthenticationOutcomes } from './authentication/authentication-outcomes.service.js'
import {
  allowedMethods,
  isOpen,
  matchTarget,
  operationFor,
  type PartnerRoute,
  templateOf,
} from '../http/partner-route.js'
import { checkBody, idempotencyKeyOf, readJson } from './mutation.js'
import { LargeBodyTurns } from './large-body-turns.service.js'
import { type NamedProperty, namedProperty } from './assignment/named-property.js'
import { checkAnnouncedSize, RawBodies } from '../http/raw-body.service.js'
import { methodNotAllowed } from '../http/request-line.js'

/** Admits or refuses every partner request; api.md §0 defines the order of the steps. */
@Injectable()
export class Admission {
  constructor(
    private readonly authentication: Authentication,
    private readonly callers: AuthenticationOutcomes,
    private readonly bodies: RawBodies,
    private readonly largeBodies: LargeBodyTurns,
    private readonly limits: RequestLimits,
    private readonly connections: LiveConnections,
    private readonly replays: SignatureBindings,
    private readonly observations: Observations,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * Sets `rawBody` and, except for open calls, `caller` of a request whose request line has been checked.
   * @throws ServiceError with the refusal of the first step that fails
   */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const route = matchTarget(request.originalUrl)
    request.record.route = route && templateOf(route)
    const maxBytes = maxBodyBytesOf(route ? operationFor(route, request.method) : undefined)
    checkAnnouncedSize(request.raw, maxBytes)
    const read = (sender: Omit<Sender, 'address'>) => this.bodies.read(request, reply, sender, maxBytes)
    if (route && isOpen(route)) {
      operationOf(route, request.method)
      await this.callers.checkAddress(request, reply)
      return void (await read(STRANGER))
    }
    const authenticated = await this.callers.recognise(request, reply, () =>
      this.authentication.authenticate(request, read),
    )
    const { applicationId } = authenticated.credential
    await this.largeBodies.take(applicationId, request.rawBody.length)
    const named = namedProperty(route, request)
    await this.limits.admit(request, reply, authenticated.credential, { route, propertyId: named.id })
    if (!route) throw nothingThere()
    const operation = operationOf(route, request.method)
    checkScope(operation, authenticated)
    const body = readJson(operation, request.headers, request.rawBody, named.body)
    const connection = await this.connectionOf(operation, request, { named, body }, authenticated)
    if (connection) request.record.fields.connection_id = connection.connectionId
    checkParameterNames(operation, request, reply)
    await this.largeBodies.take(applicationId, request.rawBody.length)
    checkBody(operation, queryOf(request.originalUrl), body)
    if (operation.method !== 'GET')
      await this.replays.bind(authenticated, idempotencyKeyOf(request.raw), request.originalUrl)
    const { credential, timestamp } = authenticated
    request.caller = { credential, timestamp, operation, connection }
  }

  private async connectionOf(
    operation: Operation,
    request: FastifyRequest,
    { named, body }: { named: NamedProperty; body: unknown },
    { credential }: Authenticated,
  ) {
    if (operation.property === null) return null
    const propertyId = addressedProperty(operation, named, body)
    const connection = this.connections.peek(propertyId) ?? (await this.readConnection(propertyId))
    if (connection && isAssigned(connection, credential)) return servingConnection(connection)
    this.observations.emit('denied', credential, request.id)
    throw notAssigned()
  }

  private async readConnection(propertyId: string) {
    try {
      return await this.connections.get(propertyId)
    } catch (err) {
      this.log.error({ err }, 'connection could not be read')
      throw unavailable()
    }
  }
}

/** Sender of every open call's body: all open calls share the budget of one credential. */
const STRANGER = { credential: 'open', isKept: true }

const nothingThere = (): ServiceError =>
  new ServiceError(
    'not_found',
    'There is nothing at this path. Paths are matched exactly as sent: check spelling, case, doubled and trailing slashes.',
  )

function operationOf(route: PartnerRoute, method: string): Operation {
  const operation = operationFor(route, method)
  if (operation) return operation
  throw methodNotAllowed(method, allowedMethods(route))
}

/** Names the ignored parameters in a header of the answer, including a forwarded answer. */
function checkParameterNames(operation: Operation, request: FastifyRequest, reply: FastifyReply): void {
  const ignored = unknownParameters(queryOf(request.originalUrl), parametersOf(operation))
  if (ignored.length === 0) return
  const header = { [IGNORED_PARAMETERS_HEADER]: ignored.join(', ') }
  request.limitHeaders = { ...request.limitHeaders, ...header }
  void reply.headers(header)
}

function checkScope({ scope }: Operation, { credential }: Authenticated): void {
  if (scope === null || credential.scopes.includes(scope)) return
  throw new ServiceError(
    'insufficient_scope',
    `This credential was issued without the scope ${scope}; ask operations for one that has it.`,
  )
}
