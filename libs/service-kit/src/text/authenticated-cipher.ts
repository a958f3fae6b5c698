import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
/** Length of a nonce, bytes. */
export const NONCE_BYTES = 12
/** Length of an authentication tag, bytes. */
export const TAG_BYTES = 16

/** Output of AES-256-GCM; each stored format orders the parts differently. */
interface SealedParts {
  nonce: Buffer
  ciphertext: Buffer
  tag: Buffer
}

/** Encrypts with AES-256-GCM and a fresh nonce; `context` is authenticated, not stored. */
export function encrypt(key: Buffer | KeyObject, plain: Buffer, context: string): SealedParts {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(context))
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()])
  return { nonce, ciphertext, tag: cipher.getAuthTag() }
}

/** @throws Error when key, parts or context differ from those of `encrypt` */
export function decrypt(key: Buffer | KeyObject, { nonce, ciphertext, tag }: SealedParts, context: string): Buffer {
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(context)).setAuthTag(tag)
  return Buffer.concat([decipher.update(ciphertext), decipher.final()])
}
