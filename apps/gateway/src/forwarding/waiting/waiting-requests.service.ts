import { setTimeout as delay } from 'node:timers/promises'
import { HttpStatus, Inject, Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { preferredWait, readWait } from '@connectivity/contracts/waiting'
import { CLIENT_GONE } from '@connectivity/service-kit/http'
import { FairQueue } from '@connectivity/service-kit/work'
import { Health } from '@connectivity/service-kit/service'
import { Admission } from '../../admission/admission.service.js'
import type { Admitted } from '../../admission/admitted.js'
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config.js'
import { type ChangedKind, Changes } from '../../live/changes.service.js'
import { ChangeStreams } from './change-streams.client.js'
import { crowded, HEAD_DEADLINE } from '../exchange/exchange.js'
import type { HeldAnswer } from '../answers/held-answer.js'
import { type LookKind, ServiceCalls } from '../exchange/service-calls.service.js'
import { answerRefusal } from '../exchange/refusal.js'
import { isFinal, type RequestedWait, type WaitEnd, WaitingRequest, waitKey } from './waiting-request.js'
import { requestsWaiting, waitsEnded } from './waiting-metrics.js'

/** Rest between looks that find nothing, ms: changes that do not concern a request can be many. */
const REST = 100
/**
 * Rest after a look that the service could not serve yet, ms: while a feed is being filled, every commit is a change.
 */
const REST_UNSERVED = 500
/**
 * Looks of one application at one service at once, twice its places there: thousands of requests may begin, wake and
 * end together, and one that has not begun its look keeps a fraction of the memory.
 */
const LOOKS = 16
/** Longest time a notification may take before it counts as lost, ms. */
const LATE = 1_000

/**
 * Requests that wait for a change (`wait`, `Prefer: wait`). Each looks at its service, holds an answer without news
 * back, and looks again after the next change. A request is registered before its first look, so no change in between
 * is lost. While it waits it uses neither a database connection nor one of its application's places.
 */
@Injectable()
export class WaitingRequests {
  private readonly waiting = new Map<string, Set<WaitingRequest>>()
  private readonly turns = new FairQueue({ mayBegin: (_applicationAtService, own) => own < LOOKS })

  constructor(
    streams: ChangeStreams,
    changes: Changes,
    private readonly health: Health,
    private readonly admission: Admission,
    private readonly calls: ServiceCalls,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'MAX_WAITING_REQUESTS'>,
  ) {
    streams.onChange((service, connectionId) => this.changed(service, connectionId))
    changes.onChange((kind, id) => this.accessChanged(kind, id))
    changes.onEra(() => this.endAll('access'))
    health.onStopping(() => this.endAll('stop'))
  }

  /**
   * Answers a request that waits as soon as a look finds news, when its time is over, or when it may no longer wait.
   * Resolves when it is answered or has begun to wait.
   * @returns null for a request that does not ask to wait, or may not
   */
  answer(admitted: Admitted): Promise<void> | null {
    const requested = requestedWaitOf(admitted)
    const request = requested && this.enter(admitted, requested)
    return request && this.look(request).catch((error: unknown) => this.fail(request, error))
  }

  /** Looks at the service. The request is answered if there is news or no place, and waits otherwise. */
  private async look(request: WaitingRequest): Promise<void> {
    const found = await this.lookInTurn(request, 'waiting')
    if (typeof found === 'number' || !this.takePlace(request)) return this.end(request, found)
    if (found.status >= 400) await request.rest(REST_UNSERVED)
    else if (request.looks > 2) await request.rest(REST)
    request.wait(found)
  }

  /** Looks when the turn comes, or ends as `endInQueue` says. One deadline covers the turn and the service's answer. */
  private async lookInTurn(request: WaitingRequest, kind: LookKind): Promise<HeldAnswer | number> {
    const until = performance.now() + HEAD_DEADLINE
    const turn = `${request.service} ${request.admitted.credential.applicationId}`
    const end = await request.waitForTurn(this.turns.enter(turn), { ms: HEAD_DEADLINE, late: crowded })
    const given = end === null ? null : await this.endInQueue(request, end)
    if (given !== null) return given
    let hasTurn = end === null
    const leave = () => {
      if (hasTurn) this.turns.leave(turn)
      hasTurn = false
    }
    // The application's other requests do not wait for the reader of this answer.
    const onAnswer = () => {
      leave()
      // A last look still wants to know whether a notification comes.
      if (kind === 'waiting') this.remove(request)
    }
    request.beginLook(kind)
    try {
      return await this.calls.look(request.admitted, kind, { onAnswer, headDeadline: until - performance.now() })
    } finally {
      leave()
    }
  }

  /** Ends a request whose wait for a turn was cut short. @returns null when it is to look at once */
  private async endInQueue(request: WaitingRequest, end: WaitEnd): Promise<HeldAnswer | number | null> {
    if (end === 'client') return CLIENT_GONE
    if (end === 'stop') return request.held
    return (await this.isAdmittedAgain(request)) ? null : HttpStatus.FORBIDDEN
  }

  private readonly onWaitEnd = (request: WaitingRequest, end: WaitEnd): void =>
    void this.continueAfter(end, request).catch((error: unknown) => this.fail(request, error))

  private async continueAfter(end: WaitEnd, request: WaitingRequest): Promise<void> {
    const held = request.held!
    noteWait(request, end)
    if (isFinal(end)) return this.end(request, held)
    // Checked after every wait: it may end at the moment at which a credential, token or session expires.
    if (!(await this.isAdmittedAgain(request))) return this.end(request, HttpStatus.FORBIDDEN)
    if (end === 'time') return this.end(request, await this.lastLook(request))
    await this.look(request)
  }

  private end(request: WaitingRequest, found: HeldAnswer | number): void {
    this.remove(request)
    this.calls.end(request.admitted, found)
  }

  private fail(request: WaitingRequest, error: unknown): void {
    this.remove(request)
    if (error instanceof ServiceError) refuse(request, error)
    else this.calls.fail(request.admitted, error)
  }

  /** Looks a last time at the end of the wait. News without a notification means that a notification was lost. */
  private async lastLook(request: WaitingRequest): Promise<HeldAnswer | number> {
    this.leavePlace(request)
    const found = await this.lookInTurn(request, 'last')
    if (found !== HttpStatus.OK) return found
    await delay(LATE)
    if (!request.hasNews) waitsEnded.inc({ service: request.service, by: 'backstop' })
    return found
  }

  /** @returns false when access has ended; the refusal has been sent */
  private async isAdmittedAgain(request: WaitingRequest): Promise<boolean> {
    try {
      request.admitted = await this.admission.readmit(request.admitted)
      return true
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      refuse(request, error)
      return false
    }
  }

  /** @returns null when enough requests of the connection wait already, or when the process stops */
  private enter(admitted: Admitted, requested: RequestedWait): WaitingRequest | null {
    const request = new WaitingRequest(admitted, requested, this.onWaitEnd)
    const { key } = request
    const others = this.waiting.get(key) ?? new Set()
    if (this.health.isStopping || !this.hasFreePlace(others)) return null
    // Must run before the listener that writes the log line.
    admitted.reply.raw.prependListener('close', () => request.endWait('client'))
    this.waiting.set(key, others.add(request))
    return request
  }

  /** @returns false when enough other requests of the connection wait */
  private takePlace(request: WaitingRequest): boolean {
    if (request.hasPlace) return true
    if (!this.hasFreePlace(this.waiting.get(request.key) ?? [])) return false
    request.hasPlace = true
    requestsWaiting.inc({ service: request.service })
    return true
  }

  private hasFreePlace(requests: Iterable<WaitingRequest>): boolean {
    return placesOf(requests) < this.config.MAX_WAITING_REQUESTS
  }

  private remove(request: WaitingRequest): void {
    const { key } = request
    const all = this.waiting.get(key)
    if (!all?.delete(request)) return
    if (all.size === 0) this.waiting.delete(key)
    this.leavePlace(request)
  }

  /** Frees the request's place, so that another request of the connection may wait. */
  private leavePlace(request: WaitingRequest): void {
    if (!request.hasPlace) return
    request.hasPlace = false
    requestsWaiting.dec({ service: request.service })
  }

  private changed(service: string, connectionId: string | null): void {
    if (connectionId !== null) {
      for (const request of this.waiting.get(waitKey(service, connectionId)) ?? []) request.changed()
      return
    }
    for (const request of this.all()) if (request.service === service) request.changed()
  }

  private accessChanged(kind: ChangedKind, id: string): void {
    for (const request of this.all()) if (idsOf[kind]?.(request.admitted) === id) request.endWait('access')
  }

  private endAll(reason: WaitEnd): void {
    for (const request of this.all()) request.endWait(reason)
  }

  private *all(): Generator<WaitingRequest> {
    for (const requests of this.waiting.values()) yield* requests
  }
}

const placesOf = (requests: Iterable<WaitingRequest>): number => [...requests].filter(({ hasPlace }) => hasPlace).length

function refuse({ admitted: { id, answerHeaders, http, reply } }: WaitingRequest, refusal: ServiceError): void {
  if (!reply.raw.destroyed) answerRefusal(reply.raw, { id, addedHeaders: answerHeaders, record: http.record }, refusal)
}

function noteWait({ admitted, requested, service }: WaitingRequest, end: WaitEnd): void {
  if (requested.preference) admitted.answerHeaders['preference-applied'] = requested.preference
  waitsEnded.inc({ service, by: end })
}

const keyIdOf = ({ credential }: Admitted): string => credential.keyId

/** The id of each kind of row whose change concerns a waiting request; a later release may announce other kinds. */
const idsOf: Partial<Record<ChangedKind, (admitted: Admitted) => string>> = {
  connection: ({ connection }) => connection!.connectionId,
  application: ({ credential }) => credential.applicationId,
  credential: keyIdOf,
  portal_link: keyIdOf,
}

/** The wait that a request asks for; null if it asks for none, or if its owner will refuse the parameter. */
function requestedWaitOf({ operation, method, query, http }: Admitted): RequestedWait | null {
  if (!operation.waits || method !== 'GET') return null
  const requested = parameterOf(query)
  if (requested !== null) return requested > 0 ? { seconds: requested, preference: null } : null
  const seconds = preferredWait(http.headers.prefer as string | undefined)
  return seconds ? { seconds, preference: `wait=${seconds}` } : null
}

function parameterOf(query: string): number | null {
  try {
    return readWait(query)
  } catch {
    return 0
  }
}
