import { hash } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import type { Transaction } from '@connectivity/database'
import { newSecret, SecretVault } from '@connectivity/vault'
import type { CredentialEntity } from './credential.entity.js'
import { CredentialStore } from './credential.store.js'

/** Makes secrets of credentials. */
@Injectable()
export class CredentialSecrets {
  constructor(
    private readonly credentials: CredentialStore,
    private readonly vault: SecretVault,
  ) {}

  /**
   * Creates a secret and stores it: signing secrets sealed, client secrets hashed.
   * @returns its text, for the only answer that reveals it
   */
  async add(tx: Transaction, credential: CredentialEntity, createdAt: Date): Promise<string> {
    const secret = newSecret()
    const stored =
      credential.type === 'oauth'
        ? { secretHash: hash('sha256', secret, 'buffer') }
        : await this.vault.seal(secret, credential.credentialId)
    await this.credentials.insertSecret(tx, credential, { createdAt, endsAt: null, ...stored })
    return secret
  }
}
