import { createHash } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import type { IssueCredential } from '@connectivity/contracts/operators-api'
import { scopes } from '@connectivity/contracts/scopes'
import { parseTimestamp } from '@connectivity/contracts/time'
import { Database } from '@connectivity/database/database'
import type { PageRequest } from '@connectivity/service-kit/operators-page'
import { isId, notFound } from '@connectivity/service-kit/operators-record'
import { newSecret, SecretVault } from '@connectivity/vault/secret-vault'
import { type EntityManager, In, MoreThan } from 'typeorm'
import { ApplicationEntity } from '../applications/application.entity.js'
import { AuditStore } from '../audit/audit.store.js'
import { ConnectionEntity } from '../connections/connection.entity.js'
import { announceChange } from '../../live/changes.js'
import type { AuditContext } from '../changes/audit-context.js'
import { endTokensOfSecrets } from '../../live/access-token.store.js'
import { newId } from '../../new-id.js'
import {
  CredentialEntity,
  CredentialSecretEntity,
  CredentialUseEntity,
  presentCredential,
  presentRevealed,
} from './credential.entity.js'
import { KeyIdTags } from '../../live/key-id-tags.js'
import { rotate } from './secret-rotation.js'

/** Credentials, issued, rotated and revoked by operators. */
@Injectable()
export class CredentialStore {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditStore,
    private readonly vault: SecretVault,
    private readonly tags: KeyIdTags,
  ) {}

  /**
   * @returns the credential and, only here, its secret
   * @throws ServiceError 404, 409 `application_not_approved`
   */
  issue(context: AuditContext, connectionId: string, body: IssueCredential): Promise<object> {
    return this.audit.change(context, async (entities, tx) => {
      await checkMayHaveCredentials(entities, connectionId)
      const keyId = await this.tags.newKeyId(body.type === 'oauth' ? 'cli' : 'key')
      const credential = entities.create(CredentialEntity, newCredential(connectionId, keyId, body))
      await entities.insert(CredentialEntity, credential)
      const secret = await this.addSecret(entities, credential, credential.createdAt)
      await announceChange(tx, 'credential', credential.keyId)
      const result = presentRevealed(credential, secret)
      return { result, subject: credential.credentialId, before: null, after: presentCredential(credential, null) }
    })
  }

  /**
   * Gives a credential a second secret under the same id and sets the end of the first one. Access tokens end with the
   * secret they were obtained with.
   * @param overlap how long the old secret stays valid, seconds
   * @returns the credential and, only here, its new secret
   * @throws ServiceError 404, 409 `credential_revoked`
   */
  rotate(context: AuditContext, id: string, overlap: number): Promise<object> {
    return this.audit.change(context, async (entities, tx) => {
      const credential = await locked(entities, id)
      if (credential.revokedAt) throw credentialRevoked()
      const secrets = await entities.findBy(CredentialSecretEntity, { credentialId: id })
      const { ended, kept, keptUntil, createdAt } = rotate(secrets, overlap, new Date())
      await endTokensOfSecrets(tx, id, createdAtOf(ended))
      await entities.remove(ended)
      if (kept) await entities.save(Object.assign(kept, { endsAt: keptUntil }))
      const secret = await this.addSecret(entities, credential, createdAt)
      await announceChange(tx, 'credential', credential.keyId)
      const shown = presentCredential(credential, await lastUseOf(entities, id))
      const rotation = keptUntil && { old_secret_ends_at: keptUntil }
      const result = { ...presentRevealed(credential, secret), ...shown, rotation }
      return { result, subject: id, before: shown, after: { ...shown, rotation } }
    })
  }

  /**
   * Revokes a credential at once; repeating it changes nothing.
   * @throws ServiceError 404
   */
  revoke(context: AuditContext, id: string): Promise<object> {
    return this.audit.change(context, async (entities, tx) => {
      const credential = await locked(entities, id)
      const lastUse = await lastUseOf(entities, id)
      const before = presentCredential(credential, lastUse)
      if (credential.revokedAt) return { result: before, subject: null }
      credential.revokedAt = new Date()
      await entities.save(credential)
      await announceChange(tx, 'credential', credential.keyId)
      const after = presentCredential(credential, lastUse)
      return { result: after, subject: id, before, after }
    })
  }

  /**
   * Oldest first, one more than the page's limit, as operators see them.
   * @throws ServiceError 404 for an unknown connection
   */
  async list(connectionId: string, { limit, after }: PageRequest): Promise<CredentialEntity[]> {
    const { manager } = await this.database.dataSource()
    if (!isId(connectionId) || !(await manager.existsBy(ConnectionEntity, { connectionId })))
      throw notFound('connection')
    const where = { connectionId, ...(after === null ? {} : { credentialId: MoreThan(after) }) }
    return manager.find(CredentialEntity, { where, order: { credentialId: 'ASC' }, take: limit + 1 })
  }

  /** The credentials as operators see them. */
  async withLastUse(credentials: readonly CredentialEntity[]): Promise<object[]> {
    const { manager } = await this.database.dataSource()
    const ids = credentials.map(({ credentialId }) => credentialId)
    const uses = await manager.findBy(CredentialUseEntity, { credentialId: In(ids) })
    const lastUse = new Map(uses.map(({ credentialId, lastUsedAt }) => [credentialId, lastUsedAt]))
    return credentials.map((credential) => presentCredential(credential, lastUse.get(credential.credentialId) ?? null))
  }

  /** Creates and stores a new secret; its text appears only in the answer and is stored nowhere. */
  private async addSecret(entities: EntityManager, credential: CredentialEntity, createdAt: Date): Promise<string> {
    const { credentialId, type } = credential
    const secret = newSecret()
    const stored =
      type === 'oauth'
        ? { secretHash: createHash('sha256').update(secret).digest() }
        : await this.vault.seal(secret, credentialId)
    await entities.insert(CredentialSecretEntity, { credentialId, createdAt, endsAt: null, ...stored })
    return secret
  }
}

function newCredential(connectionId: string, keyId: string, body: IssueCredential): CredentialEntity {
  const expiresAt = body.expires_at === undefined ? null : new Date(parseTimestamp(body.expires_at)!)
  return {
    credentialId: newId('cred'),
    connectionId,
    type: body.type,
    keyId,
    scopes: body.scopes ?? [...scopes],
    ownConnectionOnly: body.own_connection_only ?? false,
    createdAt: new Date(),
    expiresAt,
    revokedAt: null,
  }
}

const createdAtOf = (secrets: readonly CredentialSecretEntity[]): Date[] => secrets.map(({ createdAt }) => createdAt)

const lastUseOf = async (entities: EntityManager, credentialId: string): Promise<Date | null> =>
  (await entities.findOneBy(CredentialUseEntity, { credentialId }))?.lastUsedAt ?? null

async function locked(entities: EntityManager, id: string): Promise<CredentialEntity> {
  const lock = { mode: 'pessimistic_write' } as const
  const credential = isId(id) && (await entities.findOne(CredentialEntity, { where: { credentialId: id }, lock }))
  if (!credential) throw notFound('credential')
  return credential
}

const credentialRevoked = (): ServiceError =>
  new ServiceError('credential_revoked', 'The credential is revoked for good; issue a new one.')

async function checkMayHaveCredentials(entities: EntityManager, connectionId: string): Promise<void> {
  const connection = isId(connectionId) && (await entities.findOneBy(ConnectionEntity, { connectionId }))
  if (!connection) throw notFound('connection')
  const { applicationId } = connection
  const application = await entities.findOneByOrFail(ApplicationEntity, { applicationId })
  if (application.state === 'approved') return
  throw new ServiceError('application_not_approved', `The application is ${application.state}; approve it first.`)
}
