import { Injectable } from '@nestjs/common'
import { FairQueue } from '@connectivity/service-kit/work'
import { writersBusy } from './property-turns.service.js'

/** Places for calls among the eight connections for transactions; the others are for large reads, groups and Kafka. */
const PLACES = 4
/** Places of one application, so that its calls to several hotels leave some to other applications. */
const PER_APPLICATION = 3

/** Shares database connections for long calls among applications. */
@Injectable()
export class WriterPlaces {
  private readonly queue = new FairQueue({
    mayBegin: (_applicationId, own, all) => all < PLACES && own < PER_APPLICATION,
  })

  /**
   * @param deadline latest time to wait for a place, ms since 1970
   * @throws UpdateTimeout if none is free by then
   */
  take<T>(applicationId: string, deadline: number, work: () => Promise<T>): Promise<T> {
    return this.queue.run(applicationId, work, { ms: deadline - Date.now(), late: writersBusy })
  }
}
