import { createHash } from 'node:crypto'
import { Inject, Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'
import { type Authenticated, unavailable } from '../door/authentication.js'
import { REPLAY_WINDOW } from '../door/signature-headers.js'
import { ReplayBindingStore } from './replay-binding.store.js'

/**
 * Keeps a signed mutation from being sent again under another Idempotency-Key by somebody who has seen it: the
 * signature covers neither query nor key (api.md §1). Tokens prove nothing about a request and are not bound.
 */
@Injectable()
export class ReplayBindings {
  constructor(
    private readonly store: ReplayBindingStore,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * The first use of a signature binds it to its key for as long as it could be accepted again.
   * @throws ServiceError 401 `invalid_signature` (`signature_reused`), 503 when that cannot be found out
   */
  async bind({ signature, timestamp }: Authenticated, key: string): Promise<void> {
    if (signature === null || timestamp === null) return
    // Both cases of its digits are one signature. Its hash suffices, and is nothing that could be sent.
    const hash = createHash('sha256').update(Buffer.from(signature, 'hex')).digest()
    const bound = await this.store.bind(hash, key, timestamp + REPLAY_WINDOW).catch((err: unknown) => {
      this.log.error({ err }, 'a signature could not be bound to its key')
      throw unavailable()
    })
    if (bound !== key) throw reused()
  }
}

function reused(): ServiceError {
  const message =
    'This signature was used with another Idempotency-Key. Sign again with a new timestamp; to repeat a request, send it with the same key.'
  return new ServiceError('invalid_signature', message, {
    details: [{ pointer: 'X-Service-Signature', code: 'signature_reused', message }],
  })
}
