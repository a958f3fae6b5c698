import { Inject, Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { IGNORED_PARAMETERS_HEADER, parametersOf, unknownParameters } from '@connectivity/contracts/parameter-names'
import type { Operation } from '@connectivity/contracts/partner-api'
import { queryOf } from '@connectivity/contracts/request-target'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'
import { LiveConnections } from '../live/live-connections.service.js'
import { Observations } from './observations.service.js'
import { RequestLimits } from './limits/request-limits.service.js'
import { SignatureBindings } from './signature-binding/signature-bindings.service.js'
import { type Authenticated, Authentication, unavailable } from './authentication/authentication.service.js'
import { addressedProperty, isAssigned, notAssigned, servingConnection } from './assignment/assignment.js'
import { AuthenticationOutcomes } from './authentication/authentication-outcomes.service.js'
import type { Admitted } from './admitted.js'
import { addAnswerHeaders, type PartnerRequest } from '../http/partner-request.js'
import { allowedMethods, isOpen, templateOf } from '../http/partner-route.js'
import { checkBody, idempotencyKeyOf, readJson } from './mutation.js'
import { noteRefusal } from './refusal-record.js'
import { LargeBodyTurns } from './large-body-turns.service.js'
import { type NamedProperty, namedProperty } from './assignment/named-property.js'
import { checkAnnouncedSize, maxBodyBytes, RawBodies } from '../http/raw-body.service.js'
import { methodNotAllowed } from '../http/request-line.js'

/** Admits or refuses every partner request, in the order of steps that the interface promises. */
@Injectable()
export class Admission {
  constructor(
    private readonly authentication: Authentication,
    private readonly outcomes: AuthenticationOutcomes,
    private readonly bodies: RawBodies,
    private readonly largeBodies: LargeBodyTurns,
    private readonly limits: RequestLimits,
    private readonly connections: LiveConnections,
    private readonly bindings: SignatureBindings,
    private readonly observations: Observations,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * Admits a request: afterwards it is `Admitted`, except for open calls, whose body alone is read.
   * @throws ServiceError with the refusal of the first step that fails
   */
  async admit(partner: PartnerRequest): Promise<void> {
    try {
      await this.check(partner)
    } catch (error) {
      noteRefusal(partner, error)
      throw error
    }
  }

  private async check(partner: PartnerRequest): Promise<void> {
    const { http, route } = partner
    http.record.route = route && templateOf(route)
    checkAnnouncedSize(http.raw, maxBodyBytes(partner))
    if (route && isOpen(route)) {
      operationOf(partner)
      await this.outcomes.checkAddress(partner)
      return void (await this.bodies.read(partner, STRANGER))
    }
    const authenticated = await this.outcomes.recognise(partner, () =>
      this.authentication.authenticate(partner, (sender) => this.bodies.read(partner, sender)),
    )
    const { credential, timestamp } = authenticated
    const named = await this.count(partner, authenticated)
    const operation = operationOf(partner)
    checkScope(operation, authenticated)
    const body = readJson(operation, http.headers, partner.body, named.body)
    const connection = await this.connectionOf(operation, partner, { named, body }, authenticated)
    if (connection) http.record.fields.connection_id = connection.connectionId
    checkParameterNames(operation, partner)
    await this.largeBodies.take(credential.applicationId, partner.body.length)
    checkBody(operation, queryOf(partner.target), body)
    if (operation.method !== 'GET') await this.bindings.bind(authenticated, idempotencyKeyOf(http.raw), partner.target)
    const admitted: Omit<Admitted, keyof PartnerRequest> = { credential, timestamp, connection }
    Object.assign(partner, admitted)
  }

  /**
   * Counts the request against the limits of the connection that it names.
   * @throws ServiceError 429 `rate_limited`
   */
  private async count(partner: PartnerRequest, { credential }: Authenticated): Promise<NamedProperty> {
    await this.largeBodies.take(credential.applicationId, partner.body.length)
    const named = namedProperty(partner)
    await this.limits.admit(partner, credential, named.id)
    return named
  }

  private async connectionOf(
    operation: Operation,
    { id }: PartnerRequest,
    { named, body }: { named: NamedProperty; body: unknown },
    { credential }: Authenticated,
  ) {
    if (operation.property === null) return null
    const propertyId = addressedProperty(operation, named, body)
    const connection = this.connections.peek(propertyId) ?? (await this.readConnection(propertyId))
    if (connection && isAssigned(connection, credential)) return servingConnection(connection)
    this.observations.emit('denied', credential, id)
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

/** @throws ServiceError 404, or 405 with the methods that the path takes */
function operationOf({ route, operation, method }: PartnerRequest): Operation {
  if (!route) throw nothingThere()
  if (!operation) throw methodNotAllowed(method, allowedMethods(route))
  return operation
}

/** Names the ignored parameters in a header of the answer, including a forwarded answer. */
function checkParameterNames(operation: Operation, partner: PartnerRequest): void {
  const ignored = unknownParameters(queryOf(partner.target), parametersOf(operation))
  if (ignored.length > 0) addAnswerHeaders(partner, { [IGNORED_PARAMETERS_HEADER]: ignored.join(', ') })
}

function checkScope({ scope }: Operation, { credential }: Authenticated): void {
  if (scope === null || credential.scopes.includes(scope)) return
  throw new ServiceError(
    'insufficient_scope',
    `This credential was issued without the scope ${scope}; ask operations for one that has it.`,
  )
}
