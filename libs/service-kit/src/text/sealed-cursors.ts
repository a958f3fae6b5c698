import { createSecretKey, type KeyObject } from 'node:crypto'
import { ServiceError } from '@connectivity/contracts/errors'
import { decrypt, encrypt, NONCE_BYTES, TAG_BYTES } from './authenticated-cipher.js'

/** Injection token of the keys that seal a service's cursors, by id; the first is current. */
export const CURSOR_KEYS = Symbol('cursor keys')

/**
 * Continuation tokens: `keyIdLength keyId nonce ciphertext tag`, base64url, sealed with AES-256-GCM under the current
 * key. The reader is authenticated with it, so a cursor serves its own connection or application only. Nothing is
 * stored and nothing expires; a retired key ends the cursors it sealed.
 */
export class SealedCursors {
  private readonly currentId: string
  /** Keys by id, made once: a key given as bytes costs 13 µs more per cursor. */
  private readonly keys: ReadonlyMap<string, KeyObject>

  /**
   * @param keys by id; the first is current
   * @param sizes lengths that the sealed payload may have, bytes; null for any
   * @param advice advice in the refusal of an invalid cursor
   */
  constructor(
    keys: ReadonlyMap<string, Buffer>,
    private readonly sizes: readonly number[] | null,
    private readonly advice: string,
  ) {
    this.currentId = keys.keys().next().value!
    this.keys = new Map([...keys].map(([id, key]) => [id, createSecretKey(key)]))
  }

  /** @param reader the connection or the application that may use the cursor */
  seal(reader: string, payload: Buffer): string {
    const keyId = Buffer.from(this.currentId)
    const { nonce, ciphertext, tag } = encrypt(this.keys.get(this.currentId)!, payload, reader)
    return Buffer.concat([Buffer.of(keyId.length), keyId, nonce, ciphertext, tag]).toString('base64url')
  }

  /** @throws ServiceError `invalid_cursor` unless it is, byte for byte, a cursor sealed here for this reader */
  open(reader: string, text: string): Buffer {
    const token = Buffer.from(text, 'base64url')
    const idEnd = 1 + (token[0] ?? 0)
    const key = this.keys.get(token.subarray(1, idEnd).toString())
    const sealed = token.subarray(idEnd)
    const isWhole = token.toString('base64url') === text && this.fits(sealed.length - NONCE_BYTES - TAG_BYTES)
    const payload = key && isWhole ? opened(key, reader, sealed) : null
    if (payload) return payload
    throw new ServiceError(
      'invalid_cursor',
      `The cursor is corrupted or belongs to another property; restart from ${this.advice}.`,
    )
  }

  private fits(length: number): boolean {
    return this.sizes === null ? length > 0 : this.sizes.includes(length)
  }
}

function opened(key: KeyObject, reader: string, sealed: Buffer): Buffer | null {
  const [nonce, tag] = [sealed.subarray(0, NONCE_BYTES), sealed.subarray(-TAG_BYTES)]
  try {
    return decrypt(key, { nonce, tag, ciphertext: sealed.subarray(NONCE_BYTES, -TAG_BYTES) }, reader)
  } catch {
    return null
  }
}
