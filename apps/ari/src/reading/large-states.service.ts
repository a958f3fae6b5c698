import { once } from 'node:events'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { Inject, Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { FairQueue } from '@connectivity/service-kit/work'
import type { PropertyCatalog } from '../catalogs/property-catalog.js'
import { LargeStateStore, type Target, type TargetDays } from './large-state.store.js'
import type { StateQuery } from './parameters.js'
import { ratePlanDays, roomDays } from './state.view.js'
import type { StateRange } from './state.store.js'

/** Answers at once: each holds one of the eight connections for transactions while it is read. */
const AT_ONCE = 2
/** Answers of one application at once, so that its slow readers leave one to other applications. */
const OF_APPLICATION = 1
/** Longest wait for a turn, ms. */
const PATIENCE = 3_000
const RETRY_AFTER = 2
/** Longest wait for a reader that takes no data, ms; below the limit for an idle transaction. */
const PATIENCE_WITH_READER = 8_000

type DaysOf = (targets: readonly Target[]) => AsyncIterable<TargetDays>

/** Streams answers of GET /ari that are too large for memory, at the reader's pace. */
@Injectable()
export class LargeStates {
  private readonly turns = new FairQueue({
    mayBegin: (_applicationId, own, all) => own < OF_APPLICATION && all < AT_ONCE,
  })

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
      this.turns.run(applicationId, work, { ms: PATIENCE, late: busy }).catch(reject)
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

const busy = (): ServiceError =>
  new ServiceError('service_unavailable', 'Other large reads are running; retry this one.', {
    retryAfterSeconds: RETRY_AFTER,
  })

async function write(out: Writable, texts: AsyncIterable<string>): Promise<void> {
  const gone = new AbortController()
  out.once('close', () => gone.abort())
  for await (const text of texts) {
    if (out.destroyed) throw new Error('the reader is gone')
    if (out.write(text)) continue
    await once(out, 'drain', { signal: AbortSignal.any([gone.signal, AbortSignal.timeout(PATIENCE_WITH_READER)]) })
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
