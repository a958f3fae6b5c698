import type { KeyObject } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { callbackKeyOf, callbackSecretText } from '@connectivity/signing/callback-signature'
import { SecretVault } from '@connectivity/vault/secret-vault'

/** A callback's secrets as they are stored: sealed texts that open for this connection only. */
export interface SealedSecrets {
  connectionId: string
  secret: string
  previousSecret: string | null
  previousSecretEndsAt: Date | null
}

/** An HMAC key and when it ends, ms since the epoch. */
export interface SigningKey {
  key: KeyObject
  endsAt: number
}

/** Seals and opens the secrets that callbacks are signed with. */
@Injectable()
export class CallbackSecrets {
  constructor(private readonly vault: SecretVault) {}

  seal(connectionId: string, key: Buffer): Promise<string> {
    return this.vault.sealText(callbackSecretText(key), connectionId)
  }

  /**
   * @returns the keys that sign, the newest first
   * @throws Error when one does not open
   */
  async open({ connectionId, secret, previousSecret, previousSecretEndsAt }: SealedSecrets): Promise<SigningKey[]> {
    const key = async (text: string) => callbackKeyOf(await this.vault.openText(text, connectionId))
    const keys = [{ key: await key(secret), endsAt: Infinity }]
    if (previousSecret === null || previousSecretEndsAt === null) return keys
    return [...keys, { key: await key(previousSecret), endsAt: previousSecretEndsAt.getTime() }]
  }
}
