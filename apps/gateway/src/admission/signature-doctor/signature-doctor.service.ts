import { Injectable } from '@nestjs/common'
import type { PartnerRequest } from '../../http/partner-request.js'
import { endedSecret, liveSecrets } from '../../live/live-credential.js'
import type { SignatureMismatch } from '../authentication/signature-mismatch.js'
import { signatureExaminations } from '../limits/limit-metrics.js'
import { examine } from './examination.js'

/** Tells the holder of a secret which mistake made a signature fail. */
@Injectable()
export class SignatureDoctor {
  /** Returns the refusal, with a hint if exactly one mistake explains it. Takes the same time for every credential. */
  explain(partner: PartnerRequest, refusal: SignatureMismatch): SignatureMismatch {
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
