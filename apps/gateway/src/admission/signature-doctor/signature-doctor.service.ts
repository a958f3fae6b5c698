import { Injectable } from '@nestjs/common'
import type { SignatureHint } from '@connectivity/contracts/signature-hints'
import { RestingTurns } from '@connectivity/service-kit/work'
import { verifyRequest } from '@connectivity/signing'
import type { PartnerRequest } from '../../http/requests/partner-request.js'
import { endedSecret, liveSecrets } from '../../live/live-credential.js'
import { canonicalOf } from '../authentication/canonical-request.js'
import type { SignatureMismatch } from '../authentication/signature-mismatch.js'
import { signatureExaminations } from '../limits/limit-metrics.js'
import { examine } from './examination.js'

/** Examinations that may wait, of an address and of all; further requests are answered without a hint. */
const MOST_WAITING = { ofAddress: 64, all: 256 }

/** Tells the holder of a secret which mistake made a signature fail. */
@Injectable()
export class SignatureDoctor {
  /** All examinations use at most a quarter of the process's time. */
  private readonly turns = new RestingTurns({ own: 1, all: 3 })
  private waiting = 0

  /**
   * Returns the refusal, with a hint if exactly one mistake explains it. Waits for the address's turn. Waits and works
   * as long for an unknown key as for a known one.
   */
  async explain(partner: PartnerRequest, refusal: SignatureMismatch): Promise<SignatureMismatch> {
    const ofAddress = this.turns.waiting(partner.address)
    if (ofAddress >= MOST_WAITING.ofAddress || this.waiting >= MOST_WAITING.all) return refusal
    this.waiting += 1
    try {
      return await this.turns.run(partner.address, () => this.examined(partner, refusal))
    } finally {
      this.waiting -= 1
    }
  }

  /**
   * Returns the refusal of a request that was admitted before, with a hint if a rotation has ended its secret: no other
   * mistake is possible.
   */
  explainEnd(partner: PartnerRequest, refusal: SignatureMismatch): SignatureMismatch {
    const { credential, signature, timestamp } = refusal
    const { method, target, body } = partner
    const ended = endedSecret(credential, 'signing', Date.now())
    const signed = canonicalOf({ method, target, timestamp, bodyHash: body.hash })
    return ended && verifyRequest(ended.key, signed, signature) ? because('secret_ended', partner, refusal) : refusal
  }

  private examined(partner: PartnerRequest, refusal: SignatureMismatch): SignatureMismatch {
    const { credential, signature, timestamp } = refusal
    const { method, target, body } = partner
    const now = Date.now()
    const keys = {
      live: liveSecrets(credential, 'signing', now).map(({ key }) => key),
      ended: endedSecret(credential, 'signing', now)?.key ?? null,
    }
    const sent = { method, target, timestamp, body: body.bytes, bodyHash: body.hash }
    const hint = examine(sent, signature, keys)
    signatureExaminations.inc({ hint: hint ?? 'none' })
    return hint === null ? refusal : because(hint, partner, refusal)
  }
}

function because(hint: SignatureHint, { http }: PartnerRequest, refusal: SignatureMismatch): SignatureMismatch {
  http.record.fields.hint = hint
  return refusal.because(hint)
}
