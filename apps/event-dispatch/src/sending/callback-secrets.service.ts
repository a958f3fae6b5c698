import type { KeyObject } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { readSealedText, sealedText, SecretVault } from '@connectivity/vault'

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

/** Seals and opens the keys that sign callbacks. Opened keys are KeyObjects, never strings. */
@Injectable()
export class CallbackSecrets {
  constructor(private readonly vault: SecretVault) {}

  /** Returns the sealed text to be stored; it opens for this connection only. */
  async seal(connectionId: string, key: Buffer): Promise<string> {
    return sealedText(await this.vault.seal(key, connectionId))
  }

  /**
   * @returns the keys that sign, the newest first
   * @throws Error if one cannot be opened
   */
  async open({ connectionId, secret, previousSecret, previousSecretEndsAt }: SealedSecrets): Promise<SigningKey[]> {
    const key = (text: string) => this.vault.open(readSealedText(text), connectionId)
    const keys = [{ key: await key(secret), endsAt: Infinity }]
    if (previousSecret === null || previousSecretEndsAt === null) return keys
    return [...keys, { key: await key(previousSecret), endsAt: previousSecretEndsAt.getTime() }]
  }
}

/** Returns the keys that sign at `now`, ms since the epoch; the newest always signs. */
export const liveKeys = (keys: readonly SigningKey[], now: number): KeyObject[] =>
  keys.filter(({ endsAt }) => endsAt > now).map(({ key }) => key)
