import { Injectable } from '@nestjs/common'
import type { PartnerRequest } from '../../http/requests/partner-request.js'
import { decide } from './gcra.js'
import { rateLimited } from './limit-headers.js'
import { LocalBuckets } from './local-buckets.js'
import { PacedAnswers } from './paced-answers.hook.js'

/**
 * Pages and files that one address, or one signed-in reader, may load. An office behind one address can open the
 * largest page about twenty times at once.
 */
const PAGES = { per_minute: 1_200, burst: 600 }

/** Limits requests for public pages; each gateway counts alone. */
@Injectable()
export class PageLimits {
  private readonly buckets = new LocalBuckets()

  constructor(private readonly answers: PacedAnswers) {}

  /**
   * @param reader the signed-in reader; null: the address is counted
   * @throws ServiceError 429 `rate_limited`
   */
  count(partner: PartnerRequest, reader: string | null = null): void {
    const subject = `pages ${reader ?? partner.address}`
    const taken = this.buckets.take(subject, PAGES)
    if (taken.passes) return
    this.answers.refuse(partner, subject)
    const { retryAfterSeconds } = decide(taken, PAGES)
    throw rateLimited(`Too many pages at once: wait ${retryAfterSeconds} s, then reload.`, { retryAfterSeconds })
  }
}
