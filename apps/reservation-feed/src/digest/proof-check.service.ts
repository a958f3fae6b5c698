import { Injectable } from '@nestjs/common'
import type { ProofResult } from '@connectivity/contracts/digest'
import { Digests } from './digests.service.js'
import { type DigestClaim, ProofStore } from './proof.store.js'

/** What a partner's digest proves. */
export interface Finding {
  result: ProofResult
  /** As sent, or the connection's last stamp if that is earlier, ms. */
  checkpoint: number
}

/** Compares a partner's digest with the one that was answered lately, and with the feed as it is now. */
@Injectable()
export class ProofCheck {
  constructor(
    private readonly store: ProofStore,
    private readonly digests: Digests,
  ) {}

  /**
   * @param gone ends the reading: the client has left
   * @throws ServiceError 503 while the feed is filled or busy
   */
  async judge(connectionId: string, claim: DigestClaim, gone?: AbortSignal): Promise<Finding> {
    const answeredAt = await this.store.answered(connectionId, claim)
    if (answeredAt !== null) return { result: 'match', checkpoint: Math.min(claim.checkpoint, answeredAt) }
    const { digest, lastStamp } = await this.digests.upTo(connectionId, claim.checkpoint, gone)
    const isSame = digest.rows === claim.rows && digest.digest() === claim.digest
    return { result: isSame ? 'match' : 'differ', checkpoint: Math.min(claim.checkpoint, lastStamp) }
  }
}
