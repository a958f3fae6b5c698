import { Inject, Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { IGNORED_PARAMETERS_HEADER, parametersOf, unknownParameters } from '@connectivity/contracts/parameter-names'
import type { Operation } from '@connectivity/contracts/operation'
import { maxBodyBytesOf } from '@connectivity/contracts/partner-api'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { LiveConnections } from '../live/live-connections.service.js'
import type { LiveCredential } from '../live/live-credential.js'
import { Observations } from './observations.service.js'
import { PacedAnswers } from './limits/paced-answers.hook.js'
import { RequestLimits } from './limits/request-limits.service.js'
import { SignatureDoctor } from './signature-doctor/signature-doctor.service.js'
import { SignatureMismatch } from './authentication/signature-mismatch.js'
import { SignatureBindings } from './signature-binding/signature-bindings.service.js'
import { type Authenticated, Authentication, admissionUnavailable } from './authentication/authentication.service.js'
import { addressedId, isAssigned, notAssigned, servingConnection } from './assignment/assignment.js'
import { AuthenticationOutcomes } from './authentication/authentication-outcomes.service.js'
import type { Admitted } from './admitted.js'
import { addAnswerHeaders, type PartnerRequest } from '../http/requests/partner-request.js'
import { allowedMethods, isOpen } from '../http/requests/partner-route.js'
import { checkBody, idempotencyKeyOf, readJson } from './mutation.js'
import { checkScope } from './scope.js'
import { noteDenial } from './authentication/denial-record.js'
import { isLarge, LargeBodyTurns } from './large-body-turns.service.js'
import { idInPath } from './assignment/id-in-path.js'
import { idAtBeginning, type NamedConnection, namedConnection } from './assignment/named-connection.js'
import { checkAnnouncedSize, OverBudget } from '../http/requests/body-refusals.js'
import { RawBodies } from '../http/requests/raw-body.service.js'
import { methodNotAllowed } from '../http/requests/request-line.js'

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
    private readonly doctor: SignatureDoctor,
    private readonly answers: PacedAnswers,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * Admits a request. For an open call only the body is read: its handler authenticates the caller.
   * @returns the request, `Admitted` unless the call is open
   * @throws ServiceError with the refusal of the first step that fails
   */
  async admit(partner: PartnerRequest): Promise<PartnerRequest> {
    const { http, route, id, facts } = partner
    try {
      http.record.route = route && route.template
      checkAnnouncedSize(http.raw, maxBodyBytesOf(partner.operation))
      if (isOpen(route)) return await this.checkOpen(partner)
      const authenticated = await this.authenticated(partner)
      const { credential, validUntil, timestamp } = authenticated
      const named = await this.nameAndCount(partner, credential)
      const operation = operationOf(partner)
      checkScope(operation, credential)
      const isChange = operation.method !== 'GET'
      const json = isChange ? await this.readJsonInTurn(operation, partner, named, credential) : undefined
      const addressed = addressedId(operation, named, json)
      const connection = addressed === null ? null : await this.usableConnection(addressed, operation, credential, id)
      if (connection) facts.connectionId = http.record.fields.connection_id = connection.connectionId
      checkParameters(operation, partner)
      const admitted: Admitted = { ...partner, operation, credential, validUntil, timestamp, connection }
      return isChange ? await this.checkChange(admitted, json, authenticated) : admitted
    } catch (error) {
      throw this.noted(partner, error)
    }
  }

  /** Notes why a request is refused; refusals of bodies over a budget are paced. */
  private noted(partner: PartnerRequest, error: unknown): unknown {
    noteDenial(partner, error)
    if (error instanceof OverBudget) this.answers.refuse(partner, `bodies ${partner.address}`)
    return error
  }

  private async checkOpen(partner: PartnerRequest): Promise<PartnerRequest> {
    operationOf(partner)
    await this.outcomes.checkAddress(partner)
    await this.bodies.read(partner, OPEN_CALLER)
    return partner
  }

  private async checkChange(admitted: Admitted, json: unknown, authenticated: Authenticated): Promise<Admitted> {
    const checked = await this.checkBodyInTurn(admitted, json)
    await this.bindings.bind(authenticated, idempotencyKeyOf(admitted.http.raw), admitted.target)
    return checked
  }

  /** Checks the body; a large one when its turn comes, followed by another check of access. */
  private async checkBodyInTurn(admitted: Admitted, json: unknown): Promise<Admitted> {
    const { operation, query, body, credential } = admitted
    if (!isLarge(body.bytes)) {
      checkBody(operation, query, json)
      return admitted
    }
    await this.largeBodies.run(credential.applicationId, body.bytes, () => checkBody(operation, query, json))
    return this.readmit(admitted)
  }

  /**
   * Authenticates the sender; a wrong signature is examined only if its failure, counted first, is within the limit.
   */
  private async authenticated(partner: PartnerRequest): Promise<Authenticated> {
    try {
      return await this.outcomes.recognise(partner, () => this.authentication.authenticate(partner, this.bodies))
    } catch (error) {
      throw error instanceof SignatureMismatch ? await this.doctor.explain(partner, error) : error
    }
  }

  /**
   * Repeats the checks of access for a request that has waited: its credential or connection may have ended meanwhile.
   * @returns the request with its present credential and connection
   * @throws ServiceError with the refusal that a new request would get
   */
  async readmit(admitted: Admitted): Promise<Admitted> {
    const { credential, validUntil } = await this.authenticatedAgain(admitted)
    checkScope(admitted.operation, credential)
    const { connectionId } = admitted.connection!
    const connection = await this.usableConnection(connectionId, admitted.operation, credential, admitted.id)
    return { ...admitted, credential, validUntil, connection }
  }

  private async authenticatedAgain(admitted: Admitted) {
    try {
      return await this.authentication.again(admitted)
    } catch (error) {
      throw error instanceof SignatureMismatch ? this.doctor.explainEnd(admitted, error) : error
    }
  }

  /**
   * Reads which connection the request names, and counts the request against its limits. A body is parsed before that
   * only if it does not begin with the connection.
   * @throws ServiceError 429 `rate_limited`, 503 when too many large bodies wait
   */
  private async nameAndCount(partner: PartnerRequest, credential: LiveCredential): Promise<NamedConnection> {
    const isInBody = partner.operation?.property === 'body'
    const { facts, body } = partner
    facts.namedId = isInBody ? idAtBeginning(body.bytes) : null
    const isCounted = facts.namedId !== null
    if (isCounted) await this.limits.admit(partner, credential, facts.namedId)
    const named = namedConnection(partner, isInBody ? await this.readLarge(partner, credential) : undefined)
    facts.namedId = named.id
    if (!isCounted) await this.limits.admit(partner, credential, named.id)
    return named
  }

  private async readJsonInTurn(
    operation: Operation,
    partner: PartnerRequest,
    { body: read }: NamedConnection,
    credential: LiveCredential,
  ): Promise<unknown> {
    const { http, body } = partner
    return readJson(operation, http.raw, body.bytes, read ?? (await this.readLarge(partner, credential)))
  }

  /** The JSON of a large body, when its turn comes; undefined for a small one, which is read without delay. */
  private readLarge({ body: { bytes } }: PartnerRequest, { applicationId }: LiveCredential) {
    return isLarge(bytes) ? this.largeBodies.read(applicationId, bytes) : undefined
  }

  /** @throws ServiceError 403 unless the connection is the caller's and can be used now */
  private async usableConnection(connectionId: string, by: Operation, credential: LiveCredential, id: string) {
    const connection = this.connections.peek(connectionId) ?? (await this.readConnection(connectionId))
    if (connection && isAssigned(connection, credential)) return servingConnection(connection, by)
    if (!credential.person) this.observations.emit('denied', credential, id)
    throw notAssigned()
  }

  private async readConnection(connectionId: string) {
    try {
      return await this.connections.get(connectionId)
    } catch (err) {
      this.log.error({ err }, 'connection could not be read')
      throw admissionUnavailable()
    }
  }
}

/** Sender of every open call's body: all open calls share the budget of one credential. */
const OPEN_CALLER = { credential: 'open', mostKept: Infinity }

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

/**
 * Names the ignored parameters in a header of the answer, including a forwarded answer.
 * @throws ServiceError 400 `invalid_request` for a misspelt parameter, or a malformed id in the path
 */
function checkParameters(operation: Operation, partner: PartnerRequest): void {
  if (operation.property !== 'path') idInPath(partner.route!)
  const ignored = unknownParameters(partner.query, parametersOf(operation))
  if (ignored.length > 0) addAnswerHeaders(partner, { [IGNORED_PARAMETERS_HEADER]: ignored.join(', ') })
}
