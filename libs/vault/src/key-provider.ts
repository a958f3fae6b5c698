import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
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

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** AES-256-GCM with a fresh nonce: nonce, tag and ciphertext in one buffer; `context` is authenticated, not stored. */
export function encrypt(key: Buffer, plain: Buffer, context: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(context, 'utf8'))
  const text = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), text])
}

/** @throws Error when key, bytes or context differ from those of `encrypt` */
export function decrypt(key: Buffer, sealed: Buffer, context: string): Buffer {
  const nonce = sealed.subarray(0, NONCE_BYTES)
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(context, 'utf8')).setAuthTag(tag)
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
}

/** Key-encryption keys from the configuration: the first one seals, all of them open. */
export class ConfiguredKeyProvider implements KeyProvider {
  constructor(private readonly config: VaultConfig) {}

  async currentKeyId(): Promise<string> {
    return this.config.KEY_ENCRYPTION_KEYS.keys().next().value!
  }

  async wrap(dataKey: Buffer, context: string): Promise<{ keyId: string; wrapped: Buffer }> {
    const [keyId, key] = this.config.KEY_ENCRYPTION_KEYS.entries().next().value!
    return { keyId, wrapped: encrypt(key, dataKey, context) }
  }

  async unwrap(keyId: string, wrapped: Buffer, context: string): Promise<Buffer> {
    const key = this.config.KEY_ENCRYPTION_KEYS.get(keyId)
    if (!key) throw new Error(`key-encryption key ${keyId} is not configured`)
    return decrypt(key, wrapped, context)
  }
}
