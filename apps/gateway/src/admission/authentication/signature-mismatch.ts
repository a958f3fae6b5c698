import { ServiceError } from '@connectivity/contracts/errors'
import { type SignatureHint, signatureHints } from '@connectivity/contracts/signature-hints'
import type { LiveCredential } from '../../live/live-credential.js'
import { SIGNATURE } from './signature-headers.js'

/** Explains how to sign and never reveals whether the key exists. */
const EXPLANATION =
  'The signature does not match. Sign four lines joined by a line feed: method, path without query as sent, ' +
  'timestamp, SHA-256 of the body in lower-case hex; key of the HMAC-SHA256 is the signing secret as issued. ' +
  'If that is so, check that key id and secret belong together and are still valid.'

/** 401 for a signature that does not verify, with the input of the signature doctor. */
export class SignatureMismatch extends ServiceError {
  /**
   * @param credential the one that the request names, null for an unknown one
   * @param signature as sent
   * @param timestamp as sent
   * @param hint the mistake, if an examination found it
   */
  constructor(
    readonly credential: LiveCredential | null,
    readonly signature: string,
    readonly timestamp: string,
    readonly hint: SignatureHint | null = null,
  ) {
    const message = hint === null ? EXPLANATION : signatureHints[hint]
    const detail = { pointer: SIGNATURE, code: 'signature_mismatch', message }
    super('invalid_signature', message, { details: [hint === null ? detail : { ...detail, hint }] })
  }

  /** The same refusal, naming the mistake. */
  because(hint: SignatureHint): SignatureMismatch {
    return new SignatureMismatch(this.credential, this.signature, this.timestamp, hint)
  }
}
