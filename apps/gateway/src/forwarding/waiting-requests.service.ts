import { setTimeout as delay } from 'node:timers/promises'
import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { queryOf } from '@connectivity/contracts/request-target'
import { preferredWait, readWait } from '@connectivity/contracts/waiting'
import { Health } from '@connectivity/service-kit/health'
import { Admission } from '../admission/admission.service.js'
import type { Admitted } from '../admission/admitted.js'
import { type ChangedKind, Changes } from '../live/changes.service.js'
import { ChangeStreams } from './change-streams.service.js'
import type { HeldAnswer } from './held-answer.js'
import { answerRefusal } from './refusal.js'
import { type WaitEnd, WaitingRequest } from './waiting-request.js'
import { requestsWaiting, waitsEnded } from './waiting-metrics.js'

/** Requests of one connection that wait for the same service; a further one is answered at once. */
const AT_ONCE = 2
/** Rest between looks that find nothing, ms: changes that do not concern a request can be many. */
const REST = 100
/** Longest time a notification may take before it counts as lost, ms. */
const LATE = 1_000

/** A look at the service: the only one, one that may be followed by others, or the last one of a wait. */
export type LookKind = 'only' | 'waiting' | 'last'

/**
 * Looks at the service and answers, unless the request waits and the look finds no news.
 * @returns the answer without news, else the status of what was answered
 */
export type Look = (kind: LookKind) => Promise<HeldAnswer | number>

/**
 * Requests that wait for a change (`wait`, `Prefer: wait`). Each looks at its service, holds an answer without news
 * back, and looks again after the next change. A request is registered before its first look, so no change in between
 * is lost. While it waits it uses neither a database connection nor one of its application's places.
 */
@Injectable()
export class WaitingRequests {
  private readonly waiting = new Map<string, Set<WaitingRequest>>()

  constructor(
    streams: ChangeStreams,
    changes: Changes,
    health: Health,
    private readonly admission: Admission,
  ) {
    streams.onChange((service, connectionId) => this.changed(service, connectionId))
    changes.onChange((kind, id) => this.accessChanged(kind, id))
    changes.onEra(() => this.endAll('access'))
    health.onStopping(() => this.endAll('stop'))
  }

  /** Answers the request as soon as a look finds news, when its time is over, or when it may no longer wait. */
  answer(admitted: Admitted, look: Look): Promise<HeldAnswer | number> {
    const asked = secondsOf(admitted)
    const request = asked && this.enter(admitted, asked.seconds)
    return request ? this.lookUntilNews(admitted, request, { look, ...asked }) : look('only')
  }

  /** Thousands of requests wait here: every function that waits with them costs about 400 bytes a request. */
  private async lookUntilNews(
    admitted: Admitted,
    request: WaitingRequest,
    { look, preference }: { look: Look } & Asked,
  ): Promise<HeldAnswer | number> {
    const { reply } = admitted
    const leave = () => request.end('client')
    reply.raw.on('close', leave)
    try {
      for (let looks = 1; ; looks++) {
        request.beginLook()
        const found = await look('waiting')
        if (typeof found === 'number') return found
        if (looks > 2) await request.rest(REST)
        const end = await request.ended()
        noteWait(admitted, request, { end, preference })
        if (end === 'time') return await this.lastLook(request, look)
        if (isFinal(end)) return found
        if (end === 'access' && !(await this.readmit(admitted))) return REFUSED
      }
    } finally {
      reply.raw.removeListener('close', leave)
      this.leave(request)
    }
  }

  /** Gives what there is at the end of the wait. A change that it finds, but no notification names, was lost. */
  private async lastLook(request: WaitingRequest, look: Look): Promise<HeldAnswer | number> {
    request.beginLook()
    const found = await look('last')
    if (found !== FOUND) return found
    await delay(LATE)
    if (!request.hasNews) waitsEnded.inc({ service: request.waitsFor.service, by: 'backstop' })
    return found
  }

  /** @returns null when the request may no longer be answered, which its client has been told */
  private async readmit(admitted: Admitted): Promise<Admitted | null> {
    try {
      await this.admission.readmit(admitted)
      return admitted
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      const { id, answerHeaders, http, reply } = admitted
      answerRefusal(reply.raw, { id, addedHeaders: answerHeaders, record: http.record }, error)
      return null
    }
  }

  /** @returns null when enough requests of the connection wait already */
  private enter({ operation, connection, credential }: Admitted, seconds: number): WaitingRequest | null {
    const { connectionId } = connection!
    const key = keyOf(operation.owner, connectionId)
    const others = this.waiting.get(key) ?? new Set()
    if (others.size >= AT_ONCE) return null
    const { applicationId, keyId } = credential
    const waitsFor = { service: operation.owner, connectionId, applicationId, keyId }
    const request = new WaitingRequest(waitsFor, performance.now() + seconds * 1000)
    this.waiting.set(key, others.add(request))
    requestsWaiting.inc({ service: operation.owner })
    return request
  }

  private leave(request: WaitingRequest): void {
    const { service, connectionId } = request.waitsFor
    const key = keyOf(service, connectionId)
    const all = this.waiting.get(key)!
    all.delete(request)
    if (all.size === 0) this.waiting.delete(key)
    requestsWaiting.dec({ service })
  }

  private changed(service: string, connectionId: string | null): void {
    if (connectionId !== null) {
      for (const request of this.waiting.get(keyOf(service, connectionId)) ?? []) request.changed()
      return
    }
    for (const request of this.all()) if (request.waitsFor.service === service) request.changed()
  }

  private accessChanged(kind: ChangedKind, id: string): void {
    const field = idFields[kind]
    for (const request of this.all()) if (request.waitsFor[field] === id) request.end('access')
  }

  private endAll(reason: WaitEnd): void {
    for (const request of this.all()) request.end(reason)
  }

  private *all(): Generator<WaitingRequest> {
    for (const requests of this.waiting.values()) yield* requests
  }
}

/** Status of a page with news. */
const FOUND = 200
const REFUSED = 403

function noteWait(
  { http, answerHeaders }: Admitted,
  { waited, waitsFor }: WaitingRequest,
  { end, preference }: { end: WaitEnd; preference: string | null },
): void {
  http.record.waited = waited
  if (preference) answerHeaders['preference-applied'] = preference
  waitsEnded.inc({ service: waitsFor.service, by: end })
}

const isFinal = (end: WaitEnd): boolean => end === 'stop' || end === 'client'

const idFields = {
  connection: 'connectionId',
  application: 'applicationId',
  credential: 'keyId',
  portal_link: 'keyId',
} as const

const keyOf = (service: string, connectionId: string): string => `${service} ${connectionId}`

interface Asked {
  seconds: number
  /** Value of `Preference-Applied` if a preference asks for the wait. */
  preference: string | null
}

/** How long the request wants to wait; null when not at all, or when its owner will refuse the parameter. */
function secondsOf({ operation, method, target, http }: Admitted): Asked | null {
  if (!operation.waits || method !== 'GET') return null
  const asked = parameterOf(target)
  if (asked !== null) return asked > 0 ? { seconds: asked, preference: null } : null
  const seconds = preferredWait(http.headers.prefer as string | undefined)
  return seconds ? { seconds, preference: `wait=${seconds}` } : null
}

function parameterOf(target: string): number | null {
  try {
    return readWait(queryOf(target))
  } catch {
    return 0
  }
}
