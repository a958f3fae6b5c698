import { Controller, Get, Inject, Req } from '@nestjs/common'
import { type DeadLetter, deadLettersPath } from '@connectivity/contracts/dead-letters'
import { ServiceError } from '@connectivity/contracts/errors'
import { type ServiceName, services } from '@connectivity/contracts/identity'
import { OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { checkWord } from '@connectivity/contracts/query-parameters'
import { queryOf } from '@connectivity/contracts/request-target'
import {
  deadLetterFilter,
  type DeadLetterFilter,
  DeadLetterStore,
  presentDeadLetter,
} from '@connectivity/kafka/dead-letters'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { cursorIn, pageOf, type PageRequest, readFilters, readPage } from '@connectivity/service-kit/operators'
import type { FastifyRequest } from 'fastify'
import { operatorCaller } from '../../forwarding/exchange/service-caller.js'
import { ServiceQuestions } from '../../forwarding/exchange/service-questions.client.js'

type Owner = DeadLetter['service']
const owners: readonly Owner[] = [...services, 'gateway']
const TIMEOUT = 5_000

/** One service's part of a page. */
interface Part {
  letters: readonly DeadLetter[]
  hasMore: boolean
}

/** GET /ops/v1/dead-letters: one list for all services, newest first; ids of different services sort by time. */
@Controller(`${OPERATORS_PATH}/dead-letters`)
export class DeadLettersController {
  constructor(
    private readonly own: DeadLetterStore,
    private readonly questions: ServiceQuestions,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest): Promise<object> {
    const filter = deadLetterFilter(request)
    const asked = ownersOf(request)
    const page = readPage(request, 'dead-letters', { ...filter, asked })
    const parts = await Promise.all(asked.map((owner) => this.part(request, owner, filter, page)))
    const letters = parts.flatMap((part) => part.letters).sort((a, b) => (a.id < b.id ? 1 : -1))
    const hasMore = letters.length > page.limit || parts.some((part) => part.hasMore)
    return pageOf(
      'dead_letters',
      letters,
      page,
      ({ id }) => id,
      (letter) => letter,
      hasMore,
    )
  }

  private async part(
    request: FastifyRequest,
    owner: Owner,
    filter: DeadLetterFilter,
    page: PageRequest,
  ): Promise<Part> {
    if (owner !== 'gateway') return this.ask(request, owner, pageQuery(request, filter, page))
    const own = await this.own.list(filter, page)
    return { letters: own.map((letter) => presentDeadLetter(owner, letter)), hasMore: false }
  }

  private async ask(request: FastifyRequest, service: ServiceName, query: string): Promise<Part> {
    const path = `${deadLettersPath(service)}?${query}`
    try {
      const answer = await this.questions.read(operatorCaller(request), service, { path, timeout: TIMEOUT })
      const { dead_letters, pagination } = answer as {
        dead_letters: DeadLetter[]
        pagination: { has_more: boolean }
      }
      return { letters: dead_letters, hasMore: pagination.has_more }
    } catch (err) {
      this.log.warn({ err, service }, 'dead letters could not be fetched')
      throw silent(service)
    }
  }
}

/** The query for a service, with a cursor of its own list at the same place. */
function pageQuery(request: FastifyRequest, filter: DeadLetterFilter, { after }: PageRequest): string {
  const query = new URLSearchParams(queryOf(request.originalUrl))
  if (after !== null) query.set('cursor', cursorIn('dead-letters', filter, after))
  return query.toString()
}

const silent = (service: ServiceName): ServiceError =>
  new ServiceError(
    'service_unavailable',
    `The dead letters of ${service} cannot be read now; try again, or add service=… to see those of another.`,
    { retryAfterSeconds: 2 },
  )

function ownersOf(request: FastifyRequest): readonly Owner[] {
  const named = checkWord(readFilters(request, 'service').service, 'service', owners)
  return named === null ? owners : [named]
}
