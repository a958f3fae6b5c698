import { Injectable } from '@nestjs/common'
import { Database, deleteBatch, type Transaction } from '@connectivity/database'
import type { PageRequest } from '@connectivity/service-kit/operators'
import { In, LessThan, MoreThan } from 'typeorm'
import { ENDED_SECRET_DAYS } from '../../live/live-credential.js'
import { announceChange } from '../../live/changes.service.js'
import { lockedRow } from '../locked-row.store.js'
import { CredentialEntity, CredentialSecretEntity, CredentialUseEntity } from './credential.entity.js'

/** Credentials, their secrets and the time of their last use. */
@Injectable()
export class CredentialStore {
  constructor(private readonly database: Database) {}

  /** Newest first, one more than the page's limit. */
  async list(connectionId: string, { limit, after }: PageRequest): Promise<CredentialEntity[]> {
    const entities = await this.database.entities()
    const where = { connectionId, ...(after === null ? {} : { credentialId: LessThan(after) }) }
    return entities.find(CredentialEntity, { where, order: { credentialId: 'DESC' }, take: limit + 1 })
  }

  /**
   * @param on the transaction that needs them, if any
   * @returns by credential id; credentials that were never used are absent
   */
  async lastUses(
    credentialIds: readonly string[],
    on: Pick<Transaction, 'entities'> = this.database,
  ): Promise<Map<string, Date>> {
    const entities = await on.entities()
    const uses = await entities.findBy(CredentialUseEntity, { credentialId: In(credentialIds) })
    return new Map(uses.map(({ credentialId, lastUsedAt }) => [credentialId, lastUsedAt]))
  }

  /** @returns by credential id the end of the old secret; only credentials that are being rotated are in it */
  async rotations(credentialIds: readonly string[]): Promise<Map<string, Date>> {
    const entities = await this.database.entities()
    const ending = { credentialId: In(credentialIds), endsAt: MoreThan(new Date()) }
    const secrets = await entities.findBy(CredentialSecretEntity, ending)
    return new Map(secrets.map(({ credentialId, endsAt }) => [credentialId, endsAt!]))
  }

  /** The credential, locked until the transaction ends. */
  lock(tx: Transaction, id: string): Promise<CredentialEntity | null> {
    return lockedRow(tx, CredentialEntity, id, { credentialId: id })
  }

  async insert(tx: Transaction, credential: CredentialEntity): Promise<void> {
    await (await tx.entities()).insert(CredentialEntity, credential)
  }

  /** Writes a locked credential and announces the change to every gateway. */
  async update(tx: Transaction, credential: CredentialEntity): Promise<void> {
    await (await tx.entities()).save(credential)
    announceChange(tx, 'credential', credential.keyId)
  }

  /** All secrets that are kept, also ended ones, in no order. */
  async secretsOf(tx: Transaction, credentialId: string): Promise<CredentialSecretEntity[]> {
    return (await tx.entities()).findBy(CredentialSecretEntity, { credentialId })
  }

  /** Adds a secret to a new or locked credential and announces the change to every gateway. */
  async insertSecret(
    tx: Transaction,
    { credentialId, keyId }: CredentialEntity,
    secret: Omit<Partial<CredentialSecretEntity>, 'credentialId'>,
  ): Promise<void> {
    await (await tx.entities()).insert(CredentialSecretEntity, { credentialId, ...secret })
    announceChange(tx, 'credential', keyId)
  }

  async updateSecret(tx: Transaction, secret: CredentialSecretEntity): Promise<void> {
    await (await tx.entities()).save(secret)
  }

  async deleteSecrets(tx: Transaction, secrets: CredentialSecretEntity[]): Promise<void> {
    await (await tx.entities()).remove(secrets)
  }

  /**
   * Deletes secrets that refusals no longer mention.
   * @returns number of secrets deleted, at most one batch
   */
  purgeSecrets(): Promise<number> {
    return deleteBatch(this.database, 'credential_secret', `ends_at < now() - interval '${ENDED_SECRET_DAYS} days'`)
  }
}
