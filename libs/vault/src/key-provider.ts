import { decrypt, encrypt, NONCE_BYTES, TAG_BYTES } from '@connectivity/service-kit/text'
import type { VaultConfig } from './config.js'

/**
 * Keeper of the key-encryption keys: the seam for a key management service. Only data keys pass through it,
 * never the secrets themselves.
 */
export interface KeyProvider {
  /** Id of the key that `wrap` uses now. */
  currentKeyId(): Promise<string>
  /** Encrypts a data key under the current key-encryption key. */
  wrap(dataKey: Buffer, context: string): Promise<{ keyId: string; wrapped: Buffer }>
  /** @throws Error when the key is unknown, the bytes were altered or the context differs */
  unwrap(keyId: string, wrapped: Buffer, context: string): Promise<Buffer>
}

/** Injection token of the `KeyProvider`. */
export const KEY_PROVIDER = Symbol('key provider')

/** Seals bytes: nonce, tag and ciphertext in one buffer; `context` is authenticated, not stored. */
export function seal(key: Buffer, plain: Buffer, context: string): Buffer {
  const { nonce, ciphertext, tag } = encrypt(key, plain, context)
  return Buffer.concat([nonce, tag, ciphertext])
}

/** @throws Error when key, bytes or context differ from those of `seal` */
export function unseal(key: Buffer, sealed: Buffer, context: string): Buffer {
  const textBegins = NONCE_BYTES + TAG_BYTES
  const [nonce, tag] = [sealed.subarray(0, NONCE_BYTES), sealed.subarray(NONCE_BYTES, textBegins)]
  return decrypt(key, { nonce, tag, ciphertext: sealed.subarray(textBegins) }, context)
}

/** Key-encryption keys from the configuration: the first one seals, all of them open. */
export class ConfiguredKeyProvider implements KeyProvider {
  constructor(private readonly config: VaultConfig) {}

  /** The first configured key, which wraps. */
  async currentKeyId(): Promise<string> {
    return this.config.KEY_ENCRYPTION_KEYS.keys().next().value!
  }

  async wrap(dataKey: Buffer, context: string): Promise<{ keyId: string; wrapped: Buffer }> {
    const [keyId, key] = this.config.KEY_ENCRYPTION_KEYS.entries().next().value!
    return { keyId, wrapped: seal(key, dataKey, context) }
  }

  /** @throws Error when the key is not configured, or did not wrap this for this context */
  async unwrap(keyId: string, wrapped: Buffer, context: string): Promise<Buffer> {
    const key = this.config.KEY_ENCRYPTION_KEYS.get(keyId)
    if (!key) throw new Error(`key-encryption key ${keyId} is not configured`)
    return unseal(key, wrapped, context)
  }
}
