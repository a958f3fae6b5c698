import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { SignatureHint } from '@connectivity/contracts/signature-hints'
import { canonicalText } from '@connectivity/signing'
import { newSecret } from '@connectivity/vault'
import { canonicalOf } from '../authentication/canonical-request.js'
import { requestMistakes, type SentRequest } from './request-mistakes.js'
import { secretMistakes } from './secret-mistakes.js'

/** Keys of the credential that a request names; none for an unknown one. */
export interface TriedKeys {
  /** The live keys, at most `LIVE`. */
  live: readonly KeyObject[]
  /** The key that the last rotation ended. */
  ended: KeyObject | null
}

/** Number of live keys that every examination tries. */
const LIVE = 2
/** Stands in for a key that does not exist, so that all examinations of a request do the same work. */
const DUMMY = createSecretKey(Buffer.from(newSecret()))

/**
 * Finds the mistake in a signature: the single hint that all variants that verify have in common. Only the holder of a
 * secret can make one verify.
 * @param signature 64 hex digits, which do not verify the request as it arrived
 * @returns null when no variant verifies, or variants with different hints do
 */
export function examine(sent: SentRequest, signature: string, { live, ended }: TriedKeys): SignatureHint | null {
  const expected = Buffer.from(signature, 'hex')
  const found = new Set<SignatureHint>()
  const tryOne = (hint: SignatureHint, key: KeyObject | Buffer, signed: readonly (string | Buffer)[]): void => {
    if (timingSafeEqual(mac(key, signed), expected)) found.add(hint)
  }
  const right = [canonicalText(canonicalOf(sent))]
  const mistakes = requestMistakes(sent)
  for (const key of padded(live)) {
    for (const { hint, signed } of mistakes) tryOne(hint, key, signed)
    const secret = key.export()
    for (const { hint, key: wrong } of secretMistakes(secret)) {
      tryOne(hint, wrong, right)
      wrong.fill(0)
    }
    secret.fill(0)
  }
  tryOne('secret_ended', ended ?? DUMMY, right)
  const [hint = null] = found
  return found.size === 1 ? hint : null
}

const padded = (live: readonly KeyObject[]): KeyObject[] =>
  Array.from({ length: LIVE }, (_, index) => live[index] ?? DUMMY)

function mac(key: KeyObject | Buffer, signed: readonly (string | Buffer)[]): Buffer {
  const hmac = createHmac('sha256', key)
  for (const piece of signed) hmac.update(piece)
  return hmac.digest()
}
