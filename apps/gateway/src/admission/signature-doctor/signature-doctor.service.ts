import { Injectable } from '@nestjs/common'
import type { PartnerRequest } from '../../http/partner-request.js'
import { endedSecret, liveSecrets } from '../../live/live-credential.js'
import type { SignatureMismatch } from '../authentication/signature-mismatch.js'
import { signatureExaminations } from '../limits/limit-metrics.js'
import { RestingTurns } from '../resting-turns.js'
import { examine } from './examination.js'

/** Requests of an address that may wait for their examination; further ones are answered without a hint. */
const MOST_WAITING = 8

/** Tells the holder of a secret which mistake made a signature fail. */
@Injectable()
export class SignatureDoctor {
  /** Examinations use at most half of the process's time; few addresses get many before their limit of failures. */
  private readonly turns = new RestingTurns({ own: 1, all: 1 })

  /**
   * Returns the refusal, with a hint if exactly one mistake explains it. Waits for the address's turn. Takes the same
   * time for every credential.
   */
  async explain(partner: PartnerRequest, refusal: SignatureMismatch): Promise<SignatureMismatch> {
    if (this.turns.waiting(partner.address) >= MOST_WAITING) return refusal
    await this.turns.take(partner.address)
    return this.examined(partner, refusal)
  }

  private examined(partner: PartnerRequest, refusal: SignatureMismatch): SignatureMismatch {
    const { credential, signature, timestamp } = refusal
    const now = Date.now()
    const keys = {
      live: liveSecrets(credential, 'signing', now).map(({ key }) => key),
      ended: endedSecret(credential, 'signing', now)?.key ?? null,
    }
    const hint = examine({ ...partner, timestamp }, signature, keys)
    signatureExaminations.inc({ hint: hint ?? 'none' })
    if (hint === null) return refusal
    partner.http.record.fields.hint = hint
    return refusal.because(hint)
  }
}
