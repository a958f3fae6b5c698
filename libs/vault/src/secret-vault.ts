import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { Inject, Injectable } from '@nestjs/common'
import { KEY_PROVIDER, type KeyProvider, seal, unseal } from './key-provider.js'

/** A secret as stored: the ciphertext under its own data key, and that key wrapped. */
export interface SealedSecret {
  keyEncryptionKeyId: string
  wrappedKey: Buffer
  sealedSecret: Buffer
}

const DATA_KEY_BYTES = 32
/** 256 bits; in base64url they have only characters that need no encoding, so no client can forget it. */
const SECRET_BYTES = 32

/** Generates a secret; its owner sees it once. */
export const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url')

const SEALED_TEXT = /^sealed:([^:]+):([A-Za-z0-9_-]+):([A-Za-z0-9_-]+)$/

/** A sealed secret as one line of text. */
export const sealedText = ({ keyEncryptionKeyId, wrappedKey, sealedSecret }: SealedSecret): string =>
  ['sealed', keyEncryptionKeyId, wrappedKey.toString('base64url'), sealedSecret.toString('base64url')].join(':')

/** @throws Error when the text is not a sealed secret */
export function readSealedText(text: string): SealedSecret {
  const [, keyEncryptionKeyId, wrappedKey, sealedSecret] = SEALED_TEXT.exec(text) ?? []
  if (!keyEncryptionKeyId || !wrappedKey || !sealedSecret) throw new Error('not a sealed text')
  return {
    keyEncryptionKeyId,
    wrappedKey: Buffer.from(wrappedKey, 'base64url'),
    sealedSecret: Buffer.from(sealedSecret, 'base64url'),
  }
}

/**
 * Envelope encryption of signing secrets. Each is bound to a context, the id of its owner: a secret that is moved to
 * another row does not open.
 */
@Injectable()
export class SecretVault {
  constructor(@Inject(KEY_PROVIDER) private readonly keys: KeyProvider) {}

  /** @param secret the key's bytes, or a text whose UTF-8 bytes are the key */
  async seal(secret: string | Buffer, context: string): Promise<SealedSecret> {
    const dataKey = randomBytes(DATA_KEY_BYTES)
    try {
      const { keyId, wrapped } = await this.keys.wrap(dataKey, context)
      const sealedSecret = seal(dataKey, Buffer.from(secret as string, 'utf8'), context)
      return { keyEncryptionKeyId: keyId, wrappedKey: wrapped, sealedSecret }
    } finally {
      dataKey.fill(0)
    }
  }

  /**
   * @returns the secret as an HMAC key; its bytes here are overwritten, but a holder of the key can export them
   * @throws Error when any part was altered or belongs to another context
   */
  async open(sealed: SealedSecret, context: string): Promise<KeyObject> {
    const secret = await this.decrypted(sealed, context)
    try {
      return createSecretKey(secret)
    } finally {
      secret.fill(0)
    }
  }

  /**
   * Seals a text that may hold secrets.
   * @param context the owner of the text; it opens only with the same context
   */
  async sealText(text: string, context: string): Promise<string> {
    return sealedText(await this.seal(text, context))
  }

  /** @throws Error when it was altered or belongs to another context */
  async openText(text: string, context: string): Promise<string> {
    return (await this.decrypted(readSealedText(text), context)).toString('utf8')
  }

  /**
   * Wraps the secret's data key under the current key-encryption key; null when it already is.
   * @throws Error when the data key does not open
   */
  async rewrap(sealed: SealedSecret, context: string): Promise<SealedSecret | null> {
    if (sealed.keyEncryptionKeyId === (await this.keys.currentKeyId())) return null
    const dataKey = await this.keys.unwrap(sealed.keyEncryptionKeyId, sealed.wrappedKey, context)
    try {
      const { keyId, wrapped } = await this.keys.wrap(dataKey, context)
      return { ...sealed, keyEncryptionKeyId: keyId, wrappedKey: wrapped }
    } finally {
      dataKey.fill(0)
    }
  }

  private async decrypted(sealed: SealedSecret, context: string): Promise<Buffer> {
    const dataKey = await this.keys.unwrap(sealed.keyEncryptionKeyId, sealed.wrappedKey, context)
    try {
      return unseal(dataKey, sealed.sealedSecret, context)
    } finally {
      dataKey.fill(0)
    }
  }
}
