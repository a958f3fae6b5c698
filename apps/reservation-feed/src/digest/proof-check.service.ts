import { Injectable } from '@nestjs/common'
import type { ProofResult } from '@connectivity/contracts/digest'
import { Digests } from './digests.service.js'
import { type DigestClaim, ProofStore } from './proof.store.js'

/** Result of comparing a partner's digest. */
export interface Finding {
  result: ProofResult
  /** Checkpoint as sent, or the connection's last stamp if that is earlier, ms. */
  checkpoint: number
}

/** Compares a partner's digest with recently answered ones, and with the current feed. */
@Injectable()
export class ProofCheck {
  constructor(
    private readonly store: ProofStore,
    private readonly digests: Digests,
  ) {}

  /**
   * @param gone ends the reading when the client disconnects
   * @throws ServiceError 503 while the feed is unknown, being filled or busy
   */
  async judge(connectionId: string, claim: DigestClaim, gone?: AbortSignal): Promise<Finding> {
    const answeredAt = await this.store.answered(connectionId, claim)
    if (answeredAt !== null) return { result: 'match', checkpoint: Math.min(claim.checkpoint, answeredAt) }
    const { digest, lastStamp } = await this.digests.upTo(connectionId, claim.checkpoint, gone)
    const isSame = digest.rows === claim.rows && digest.digest() === claim.digest
    return { result: isSame ? 'match' : 'differ', checkpoint: Math.min(claim.checkpoint, lastStamp) }
  }
}
