import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import type { IssueCredential } from '@connectivity/contracts/operators-api'
import { scopes } from '@connectivity/contracts/scopes'
import { parseTimestamp } from '@connectivity/contracts/time'
import { Database } from '@connectivity/database/database'
import { type EntityManager, In, MoreThan } from 'typeorm'
import { ApplicationEntity } from '../applications/application.entity.js'
import { AuditStore } from '../audit/audit.store.js'
import { ConnectionEntity } from '../connections/connection.entity.js'
import { announceChange } from '../live-state/changes.js'
import type { Act } from '../operators/act.js'
import { newId } from '../operators/new-id.js'
import { isId, type PageRequest, unknown } from '../operators/page.js'
import {
  CredentialEntity,
  CredentialSecretEntity,
  CredentialUseEntity,
  presentCredential,
} from './credential.entity.js'
import { newSecret, SecretVault } from './secret-vault.js'

/** Credentials, issued and revoked by operators. */
@Injectable()
export class CredentialStore {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditStore,
    private readonly vault: SecretVault,
  ) {}

  /**
   * @returns the credential and, this once, its secret
   * @throws ServiceError 404, 409 `application_not_approved`
   */
  issue(
    act: Act,
    connectionId: string,
    body: IssueCredential,
  ): Promise<{ credential: CredentialEntity; secret: string }> {
    return this.audit.change(act, async (entities, tx) => {
      await checkMayHaveCredentials(entities, connectionId)
      const credential = entities.create(CredentialEntity, newCredential(connectionId, body))
      const { credentialId, createdAt } = credential
      const secret = newSecret()
      const sealed = await this.vault.seal(secret, credentialId)
      await entities.insert(CredentialEntity, credential)
      await entities.insert(CredentialSecretEntity, { credentialId, createdAt, ...sealed, endsAt: null })
      await announceChange(tx, 'credential', credential.keyId)
      const after = presentCredential(credential, null)
      return { result: { credential, secret }, subject: credentialId, before: null, after }
    })
  }

  /**
   * Ends a credential at once; doing it again changes nothing.
   * @throws ServiceError 404
   */
  async revoke(act: Act, id: string): Promise<object> {
    const credential = await this.audit.change(act, async (entities, tx) => {
      const where = { credentialId: id }
      const credential =
        isId(id) && (await entities.findOne(CredentialEntity, { where, lock: { mode: 'pessimistic_write' } }))
      if (!credential) throw unknown('credential')
      if (credential.revokedAt) return { result: credential, subject: null }
      const before = presentCredential(credential, null)
      credential.revokedAt = new Date()
      await entities.save(credential)
      await announceChange(tx, 'credential', credential.keyId)
      return { result: credential, subject: id, before, after: presentCredential(credential, null) }
    })
    const [shown] = await this.withLastUse([credential])
    return shown!
  }

  /**
   * Oldest first, one more than the page's limit, as operators see them.
   * @throws ServiceError 404 for an unknown connection
   */
  async list(connectionId: string, { limit, after }: PageRequest): Promise<CredentialEntity[]> {
    const { manager } = await this.database.dataSource()
    if (!isId(connectionId) || !(await manager.existsBy(ConnectionEntity, { connectionId })))
      throw unknown('connection')
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
}

function newCredential(connectionId: string, body: IssueCredential): CredentialEntity {
  const expiresAt = body.expires_at === undefined ? null : new Date(parseTimestamp(body.expires_at)!)
  return {
    credentialId: newId('cred'),
    connectionId,
    type: body.type,
    keyId: newId('key'),
    scopes: body.scopes ?? [...scopes],
    ownConnectionOnly: body.own_connection_only ?? false,
    createdAt: new Date(),
    expiresAt,
    revokedAt: null,
  }
}

async function checkMayHaveCredentials(entities: EntityManager, connectionId: string): Promise<void> {
  const connection = isId(connectionId) && (await entities.findOneBy(ConnectionEntity, { connectionId }))
  if (!connection) throw unknown('connection')
  const { applicationId } = connection
  const application = await entities.findOneByOrFail(ApplicationEntity, { applicationId })
  if (application.state === 'approved') return
  throw new ServiceError('application_not_approved', `The application is ${application.state}; approve it first.`)
}
