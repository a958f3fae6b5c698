import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import type { Transaction } from '@connectivity/database'
import { notFound } from '@connectivity/service-kit/operators'
import type { Change } from '../changes/operator-changes.service.js'
import type { CredentialSecretEntity } from './credential.entity.js'
import { CredentialStore } from './credential.store.js'
import { presentCredential, presentRevealed } from './credential.view.js'
import { CredentialSecrets } from './credential-secrets.service.js'
import { endTokensOfSecrets } from './ended-token.store.js'
import { rotate } from './secret-rotation.js'

/** Gives credentials a second secret. */
@Injectable()
export class RotateCredentialService {
  constructor(
    private readonly credentials: CredentialStore,
    private readonly secrets: CredentialSecrets,
  ) {}

  /**
   * Adds a secret under the same id and sets the end of the first one. Access tokens end with the secret they were
   * obtained with. The newest signing secret that ends now is kept, so that refusals can say that it has ended.
   * @param overlap how long the old secret stays valid, seconds
   * @returns the credential and, only here, its new secret
   * @throws ServiceError 404, 409 `credential_revoked`
   */
  async rotate({ tx, record }: Change, id: string, overlap: number): Promise<object> {
    const credential = await this.credentials.lock(tx, id)
    if (!credential) throw notFound('credential')
    if (credential.revokedAt) throw credentialRevoked()
    const secrets = await this.credentials.secretsOf(tx, id)
    const now = new Date()
    const ending = secrets.find(({ endsAt }) => endsAt !== null && endsAt > now)?.endsAt ?? null
    const { past, ended, kept, keptUntil, createdAt } = rotate(secrets, overlap, now)
    const dead = [...past, ...ended]
    await endTokensOfSecrets(
      tx,
      id,
      dead.map((secret) => secret.createdAt),
    )
    await this.forget(tx, dead, credential.type === 'signing' ? ended[0] : undefined, now)
    if (kept) await this.credentials.updateSecret(tx, Object.assign(kept, { endsAt: keptUntil }))
    const secret = await this.secrets.add(tx, credential, createdAt)
    const lastUsedAt = (await this.credentials.lastUses([id], tx)).get(id) ?? null
    const shown = presentCredential(credential, lastUsedAt, keptUntil)
    record({ subject: id, before: presentCredential(credential, lastUsedAt, ending), after: shown })
    return { ...presentRevealed(credential, secret), ...shown }
  }

  /** Deletes dead secrets, except the remembered one, which ends now. */
  private async forget(
    tx: Transaction,
    dead: readonly CredentialSecretEntity[],
    remembered: CredentialSecretEntity | undefined,
    now: Date,
  ): Promise<void> {
    await this.credentials.deleteSecrets(
      tx,
      dead.filter((secret) => secret !== remembered),
    )
    if (remembered) await this.credentials.updateSecret(tx, Object.assign(remembered, { endsAt: now }))
  }
}

const credentialRevoked = (): ServiceError =>
  new ServiceError('credential_revoked', 'The credential is revoked for good; issue a new one.')
