// Signatures of requests, a different one for every change.
import { BASE_PATH, type SignedHeaders, signedHeaders } from '@connectivity/toolkit/partner'
import type { Request } from '../model/request.ts'

export interface Signing {
  key_id: string
  signing_secret: string
}

/** Signatures that are remembered as used; forgotten all at once when there are more. */
const REMEMBERED = 100_000
const SECOND = 1_000
/** Signatures of this age are still accepted, s. */
const OLDEST = 250

/**
 * Signs changes of one second that are the same but for their key as of different times: a signature is bound to the
 * first Idempotency-Key that it is used with.
 */
export class Signatures {
  private readonly used = new Set<string>()

  headersOf({ method, path, body, signature }: Request, signing: Signing): Partial<SignedHeaders> {
    if (signature === 'none') return {}
    const signed = signature === 'wrong' ? `${String(body)} and more` : (body ?? '')
    const target = (BASE_PATH + path).split('?', 1)[0]!
    const asOf = (age: number) => signedHeaders(method, target, signed, signing, Date.now() - age * SECOND)
    if (method === 'GET') return asOf(0)
    let headers = asOf(0)
    for (let age = 1; age < OLDEST && this.used.has(headers['x-service-signature']); age++) headers = asOf(age)
    if (this.used.size > REMEMBERED) this.used.clear()
    this.used.add(headers['x-service-signature'])
    return headers
  }
}
