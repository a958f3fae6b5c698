import { Inject, Injectable } from '@nestjs/common'
import { type DeadLetterCounts, deadLettersPath } from '@connectivity/contracts/dead-letters'
import { ServiceError } from '@connectivity/contracts/errors'
import { type ServiceName, services } from '@connectivity/contracts/identity'
import {
  CONNECTION_FACTS_PATH,
  type ConnectionFacts,
  type ConnectionFactsAnswer,
} from '@connectivity/contracts/operators-api'
import { DeadLetterStore } from '@connectivity/kafka/dead-letters'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import type { FastifyRequest } from 'fastify'
import { operatorCaller } from '../../forwarding/exchange/service-caller.js'
import { type Question, ServiceQuestions } from '../../forwarding/exchange/service-questions.client.js'
import type { ConnectionOverview, Needing } from './overview.store.js'

/** Longest wait for the services, ms; the overview leaves out answers that take longer. */
const TIMEOUT = 1_000

type ConnectionKeys = Pick<ConnectionOverview, 'connection_id' | 'source_property_id'>
/** Null: the service has no value; absent: the service did not answer. */
export interface Facts extends Omit<ConnectionFacts, 'connection_id'> {
  dead_letters?: number | null
}

/** Collects the services' facts about connections. */
@Injectable()
export class FactsClient {
  constructor(
    private readonly questions: ServiceQuestions,
    private readonly own: DeadLetterStore,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** @returns by connection id the facts that arrived within a second; missing facts are absent */
  async of(request: FastifyRequest, connections: readonly ConnectionKeys[]): Promise<Map<string, Facts>> {
    if (connections.length === 0) return new Map()
    const [feedFacts, callbacks, deadLetters] = await Promise.all([
      this.factsOf(request, 'reservation-feed', connections),
      this.factsOf(request, 'event-dispatch', connections),
      this.deadLetters(request, connections),
    ])
    return new Map(
      connections.map(({ connection_id: id }) => [
        id,
        { ...feedFacts.get(id), ...callbacks.get(id), ...deadLetters.get(id) },
      ]),
    )
  }

  /** Ids of connections whose callback fails. @throws ServiceError 503 while event dispatch does not answer */
  async failing(request: FastifyRequest): Promise<string[]> {
    const answer = await this.ask<ConnectionFactsAnswer>(request, 'event-dispatch', { path: CONNECTION_FACTS_PATH })
    if (answer?.facts) return answer.facts.map(({ connection_id }) => connection_id)
    const message = 'Event dispatch did not answer, so failing callbacks are unknown; try again, or leave out failing.'
    throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 2 })
  }

  /** Connections that need attention according to the services that answer within a second. */
  async needing(request: FastifyRequest): Promise<Needing> {
    const question = { path: CONNECTION_FACTS_PATH }
    const [feed, dispatch, letters] = await Promise.all([
      this.ask<ConnectionFactsAnswer>(request, 'reservation-feed', question),
      this.ask<ConnectionFactsAnswer>(request, 'event-dispatch', question),
      this.openKeys(request),
    ])
    const idsOf = (answer: Partial<ConnectionFactsAnswer> | null, needs: (facts: ConnectionFacts) => boolean) =>
      new Set(answer?.facts?.filter(needs).map(({ connection_id }) => connection_id))
    return new Map([
      ['at_risk', idsOf(feed, ({ at_risk }) => (at_risk ?? 0) > 0)],
      ['unresolved', idsOf(feed, ({ unresolved }) => (unresolved ?? 0) > 0)],
      ['callback_failing', idsOf(dispatch, () => true)],
      ['dead_letters', letters],
    ])
  }

  private async openKeys(request: FastifyRequest): Promise<Set<string>> {
    const own = this.own.openKeys().catch(() => new Map<string, number>())
    const asked = services.map(async (service) => {
      const path = `${deadLettersPath(service)}/counts`
      const answer = await this.ask<DeadLetterCounts>(request, service, { path, body: {} })
      return (answer?.counts ?? []).map(({ key }) => key)
    })
    const keys = await Promise.all([own.then((found) => [...found.keys()]), ...asked])
    return new Set(keys.flat())
  }

  private async factsOf(
    request: FastifyRequest,
    service: ServiceName,
    connections: readonly ConnectionKeys[],
  ): Promise<Map<string, ConnectionFacts>> {
    const ids = connections.map(({ connection_id }) => connection_id)
    const path = `${CONNECTION_FACTS_PATH}?connection_ids=${ids.join(',')}`
    const answer = await this.ask<ConnectionFactsAnswer>(request, service, { path })
    return new Map(answer?.facts?.map((facts) => [facts.connection_id, facts]))
  }

  /** Counts dead letters keyed by the connection or its property in all services; empty unless all services answer. */
  private async deadLetters(
    request: FastifyRequest,
    connections: readonly ConnectionKeys[],
  ): Promise<Map<string, { dead_letters: number }>> {
    const keys = [...new Set(connections.flatMap((each) => [each.connection_id, each.source_property_id]))]
    const own = this.own.openByKey(keys).catch(() => null)
    const counts = await Promise.all([own, ...services.map((service) => this.openByKey(request, service, keys))])
    const known = counts.filter((count) => count !== null)
    if (known.length < counts.length) return new Map()
    const open = (key: string) => known.reduce((sum, count) => sum + (count.get(key) ?? 0), 0)
    return new Map(
      connections.map(({ connection_id, source_property_id }) => [
        connection_id,
        { dead_letters: open(connection_id) + open(source_property_id) },
      ]),
    )
  }

  private async openByKey(
    request: FastifyRequest,
    service: ServiceName,
    keys: readonly string[],
  ): Promise<Map<string, number> | null> {
    const path = `${deadLettersPath(service)}/counts`
    const answer = await this.ask<DeadLetterCounts>(request, service, { path, body: { keys } })
    return answer?.counts ? new Map(answer.counts.map(({ key, open }) => [key, open])) : null
  }

  private async ask<T>(
    request: FastifyRequest,
    service: ServiceName,
    question: Omit<Question, 'timeout'>,
  ): Promise<Partial<T> | null> {
    try {
      const answer = await this.questions.read(operatorCaller(request), service, { ...question, timeout: TIMEOUT })
      return answer as Partial<T>
    } catch (err) {
      this.log.warn(
        { err, service, path: question.path.split('?', 1)[0] },
        'service facts unavailable for the overview',
      )
      return null
    }
  }
}
