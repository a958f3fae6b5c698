import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { Inject, Injectable } from '@nestjs/common'
import { decrypt, encrypt, KEY_PROVIDER, type KeyProvider } from './key-provider.js'

/** A signing secret as it is stored: ciphertext under a data key of its own, and that key wrapped. */
export interface SealedSecret {
  keyEncryptionKeyId: string
  wrappedKey: Buffer
  sealedSecret: Buffer
}

const DATA_KEY_BYTES = 32
/** 256 bits; in base64url they use only letters that no client can spoil by forgetting to encode them. */
const SECRET_BYTES = 32

export const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url')

/** Envelope encryption of signing secrets, bound to their credential: moved to another row a secret does not open. */
@Injectable()
export class SecretVault {
  constructor(@Inject(KEY_PROVIDER) private readonly keys: KeyProvider) {}

  async seal(secret: string, credentialId: string): Promise<SealedSecret> {
    const dataKey = randomBytes(DATA_KEY_BYTES)
    try {
      const { keyId, wrapped } = await this.keys.wrap(dataKey, credentialId)
      const sealedSecret = encrypt(dataKey, Buffer.from(secret, 'utf8'), credentialId)
      return { keyEncryptionKeyId: keyId, wrappedKey: wrapped, sealedSecret }
    } finally {
      dataKey.fill(0)
    }
  }

  /**
   * @returns the HMAC key; the secret's text never leaves this function
   * @throws Error when anything of it was altered or belongs to another credential
   */
  async open(sealed: SealedSecret, credentialId: string): Promise<KeyObject> {
    const dataKey = await this.keys.unwrap(sealed.keyEncryptionKeyId, sealed.wrappedKey, credentialId)
    const secret = decrypt(dataKey, sealed.sealedSecret, credentialId)
    try {
      return createSecretKey(secret)
    } finally {
      dataKey.fill(0)
      secret.fill(0)
    }
  }
}
