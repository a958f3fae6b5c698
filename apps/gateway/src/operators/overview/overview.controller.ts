import { Controller, Get, Req } from '@nestjs/common'
import { connectionStates } from '@connectivity/contracts/connection-events'
import { invalidParameter } from '@connectivity/contracts/errors'
import { OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { checkWord } from '@connectivity/contracts/query-parameters'
import { isId } from '@connectivity/service-kit/text'
import { pageOf, readFilters, readPage, readSwitch } from '@connectivity/service-kit/operators'
import type { FastifyRequest } from 'fastify'
import { FactsClient } from './facts.client.js'
import { type ConnectionOverview, isPlace, type OverviewFilter, OverviewStore, placeOf } from './overview.store.js'
import { presentOverview } from './overview.view.js'

/**
 * The operators' overview: connections that need attention come first. Facts of other services (the feed's lag and
 * unfetched changes, callback, unacknowledged events, dead letters) are null while those services do not answer.
 */
@Controller(`${OPERATORS_PATH}/overview`)
export class OverviewController {
  constructor(
    private readonly overview: OverviewStore,
    private readonly facts: FactsClient,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest): Promise<object> {
    const filter = filterOf(request)
    const shared: SharedFilter = {
      id: readFilters(request, 'property_id').property_id,
      isFailing: readSwitch(request, 'failing'),
    }
    const page = readPage(request, 'overview', { ...filter, ...shared }, isPlace)
    const ids = await this.shownIds(request, shared)
    const needing = await this.facts.needing(request)
    const rows = await this.overview.list({ ...filter, ids }, needing, page)
    const facts = await this.facts.of(request, rows.slice(0, page.limit))
    const present = (row: ConnectionOverview) => presentOverview(row, needing, facts.get(row.connection_id) ?? {})
    return pageOf('connections', rows, page, placeOf, present)
  }

  /** The only connections to show; null: all of them. */
  private async shownIds(request: FastifyRequest, { id, isFailing }: SharedFilter): Promise<readonly string[] | null> {
    const failing = isFailing ? await this.facts.failing(request) : null
    if (id === undefined) return failing
    return isId(id) && (failing?.includes(id) ?? true) ? [id] : []
  }
}

/** Filters that other services help to apply. */
interface SharedFilter {
  id: string | undefined
  isFailing: boolean
}

/** Seconds of a year. */
const LONGEST_SILENCE = 31_536_000

function filterOf(request: FastifyRequest): Omit<OverviewFilter, 'ids'> {
  const given = readFilters(request, 'state', 'application_id', 'silent_for')
  const state = checkWord(given.state, 'state', connectionStates)
  return { state, applicationId: given.application_id ?? null, silentFor: secondsOf(given.silent_for) }
}

function secondsOf(text: string | undefined): number | null {
  if (text === undefined) return null
  const seconds = /^[1-9][0-9]{0,7}$/.test(text) ? Number(text) : Infinity
  if (seconds <= LONGEST_SILENCE) return seconds
  const message = `silent_for must be a number of seconds from 1 to ${LONGEST_SILENCE}.`
  throw invalidParameter('silent_for', 'out_of_range', message)
}
