import { once } from 'node:events'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { Inject, Injectable } from '@nestjs/common'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { LongReads } from '@connectivity/service-kit/work'
import type { PropertyCatalog } from '../catalogs/property-catalog.js'
import { LargeStateStore, type Target, type TargetDays } from './large-state.store.js'
import type { StateQuery } from './parameters.js'
import { ratePlanDays, roomDays } from './state.view.js'
import type { StateRange } from './state.store.js'

/** Longest wait for a reader that takes no data, ms; below the limit for an idle transaction. */
const PATIENCE = 8_000

type DaysOf = (targets: readonly Target[]) => AsyncIterable<TargetDays>

/** Streams answers of GET /ari that are too large for memory, at the reader's pace. */
@Injectable()
export class LargeStates {
  /** By application: the slow readers of one leave a turn to others. */
  private readonly turns = new LongReads({ message: 'Other large reads are running; retry this one.' })

  constructor(
    private readonly store: LargeStateStore,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * @returns the answer's JSON text; it is cut off when the database fails or the reader stops reading
   * @throws ServiceError 503 when no turn comes within 3 s
   */
  open(applicationId: string, query: StateQuery, catalog: PropertyCatalog, range: StateRange): Promise<Readable> {
    return new Promise((resolve, reject) => {
      const work = () => {
        const out = new PassThrough()
        resolve(out)
        return this.send(out, query, catalog, range)
      }
      this.turns.take(applicationId, work).catch(reject)
    })
  }

  private async send(out: PassThrough, query: StateQuery, catalog: PropertyCatalog, range: StateRange): Promise<void> {
    try {
      await this.store.read(range, (revision, daysOf) => write(out, pieces(query, catalog, revision, daysOf)))
      out.end()
    } catch (err) {
      if (!out.destroyed) this.log.warn({ err }, 'large answer aborted')
      out.destroy(err as Error)
    }
  }
}

async function write(out: Writable, texts: AsyncIterable<string>): Promise<void> {
  const gone = new AbortController()
  out.once('close', () => gone.abort())
  for await (const text of texts) {
    if (out.destroyed) throw new Error('the reader is gone')
    if (out.write(text)) continue
    await once(out, 'drain', { signal: AbortSignal.any([gone.signal, AbortSignal.timeout(PATIENCE)]) })
  }
}

async function* pieces(
  { connectionId, dateFrom, dateTo }: StateQuery,
  { rooms, ratePlans }: Pick<PropertyCatalog, 'rooms' | 'ratePlans'>,
  revision: number,
  daysOf: DaysOf,
): AsyncGenerator<string> {
  const head = {
    ...{ schema_version: SCHEMA_VERSION, property_id: connectionId },
    ...{ date_from: dateFrom, date_to: dateTo, ari_revision: revision },
  }
  yield `${JSON.stringify(head).slice(0, -1)},"rooms":[`
  yield* listed(
    daysOf(rooms.all.map(({ service_id }) => ({ roomId: service_id, ratePlanId: '' }))),
    ({ roomId, days }) => roomDays(rooms.get(roomId)!, days),
  )
  yield '],"rate_plans":['
  const targets = ratePlans.all.flatMap((plan) =>
    rooms.all.map((room) => ({ roomId: room.service_id, ratePlanId: plan.service_id })),
  )
  yield* listed(daysOf(targets), ({ roomId, ratePlanId, days }) =>
    ratePlanDays(ratePlans.get(ratePlanId)!, rooms.get(roomId)!, days),
  )
  yield ']}'
}

/** Yields the targets' elements, separated by commas. */
async function* listed(
  targets: AsyncIterable<TargetDays>,
  elements: (target: TargetDays) => object[],
): AsyncGenerator<string> {
  let separator = ''
  for await (const target of targets) {
    for (const element of elements(target)) {
      yield separator + JSON.stringify(element)
      separator = ','
    }
  }
}
