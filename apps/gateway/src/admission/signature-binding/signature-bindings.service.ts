import { hash } from 'node:crypto'
import { Inject, Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { Gathering } from '@connectivity/service-kit/work'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { type Authenticated, admissionUnavailable } from '../authentication/authentication.service.js'
import { TIMESTAMP_WINDOW } from '../authentication/signature-headers.js'
import { type FirstUse, SignatureBindingStore, type SignatureUse } from './signature-binding.store.js'

/** Signatures bound by one statement. */
const AT_ONCE = 64
/** Longest time for which a statement waits for as many signatures as the last one had, ms. */
const COMPANY = 2

/**
 * Prevents the reuse of a captured signed mutation under another Idempotency-Key or with another query, such as without
 * `dry_run`: the signature covers neither. Tokens are not bound, as they prove nothing about a request. Signatures that
 * arrive while a statement runs are bound by the next one.
 */
@Injectable()
export class SignatureBindings {
  private readonly uses: Gathering<SignatureUse, FirstUse>

  constructor(
    store: SignatureBindingStore,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.uses = new Gathering({ batches: 1, company: COMPANY, most: AT_ONCE }, (uses) => store.bind(uses))
  }

  /**
   * Binds a signature, on its first use, to its key and target for as long as it could be accepted again.
   * @param target raw, query included
   * @throws ServiceError 401 `invalid_signature` (`signature_reused`), 503 when the database does not answer
   */
  async bind({ signature, timestamp }: Authenticated, key: string, target: string): Promise<void> {
    if (signature === null || timestamp === null) return
    const targetHash = sha256(target)
    // Upper-case and lower-case digits are the same signature. Only its hash is stored, which cannot be replayed.
    const signatureHash = sha256(Buffer.from(signature, 'hex'))
    const use = { signatureHash, key, targetHash, expiresAt: timestamp + TIMESTAMP_WINDOW }
    const first = await this.uses.add(use).catch((err: unknown) => {
      this.log.error({ err }, 'a signature could not be bound to its first use')
      throw admissionUnavailable()
    })
    if (first.key !== key) throw reused('another Idempotency-Key')
    if (first.targetHash !== null && first.targetHash !== targetHash) throw reused('another query')
  }
}

const sha256 = (data: string | Buffer): string => hash('sha256', data)

function reused(other: string): ServiceError {
  const message = `This signature was used with ${other}. Sign again with a new timestamp, at least one second later; to repeat a request, send it unchanged.`
  return new ServiceError('invalid_signature', message, {
    details: [{ pointer: 'X-Service-Signature', code: 'signature_reused', message }],
  })
}
