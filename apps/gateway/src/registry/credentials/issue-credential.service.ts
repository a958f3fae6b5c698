import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import type { IssueCredential } from '@connectivity/contracts/operators-api'
import { scopes } from '@connectivity/contracts/scopes'
import { parseTimestamp } from '@connectivity/contracts/time'
import type { Transaction } from '@connectivity/database'
import { notFound } from '@connectivity/service-kit/operators'
import { newId } from '@connectivity/service-kit/text'
import { KeyIdTags } from '../../live/key-id-tags.service.js'
import { ApplicationStore } from '../applications/application.store.js'
import type { Change } from '../changes/operator-changes.service.js'
import { ConnectionStore } from '../connections/connection.store.js'
import type { CredentialEntity } from './credential.entity.js'
import { CredentialStore } from './credential.store.js'
import { presentCredential, presentRevealed } from './credential.view.js'
import { CredentialSecrets } from './credential-secrets.service.js'

/** Issues credentials for connections of approved applications. */
@Injectable()
export class IssueCredentialService {
  constructor(
    private readonly applications: ApplicationStore,
    private readonly connections: ConnectionStore,
    private readonly credentials: CredentialStore,
    private readonly secrets: CredentialSecrets,
    private readonly tags: KeyIdTags,
  ) {}

  /**
   * @returns the credential and, only here, its secret
   * @throws ServiceError 400 for an end in the past, 404, 409 `application_not_approved`
   */
  async issue({ tx, record }: Change, connectionId: string, body: IssueCredential): Promise<object> {
    checkEnd(body)
    await this.checkConnection(tx, connectionId)
    const keyId = await this.tags.newKeyId(body.type === 'oauth' ? 'cli' : 'key')
    const credential = newCredential(connectionId, keyId, body)
    await this.credentials.insert(tx, credential)
    const secret = await this.secrets.add(tx, credential, credential.createdAt)
    record({ subject: credential.credentialId, before: null, after: presentCredential(credential, null) })
    return presentRevealed(credential, secret)
  }

  private async checkConnection(tx: Transaction, connectionId: string): Promise<void> {
    const connection = await this.connections.find(connectionId, tx)
    if (!connection) throw notFound('connection')
    const { state } = (await this.applications.find(connection.applicationId, tx))!
    if (state === 'approved') return
    throw new ServiceError('application_not_approved', `The application is ${state}; approve it first.`)
  }
}

function checkEnd({ expires_at }: IssueCredential): void {
  if (expires_at === undefined || parseTimestamp(expires_at)! > Date.now()) return
  const message = 'expires_at must lie in the future.'
  throw new ServiceError('invalid_request', message, {
    details: [{ pointer: '/expires_at', code: 'in_past', message }],
  })
}

const newCredential = (connectionId: string, keyId: string, body: IssueCredential): CredentialEntity => ({
  credentialId: newId('cred'),
  connectionId,
  type: body.type,
  keyId,
  scopes: body.scopes ?? [...scopes],
  ownConnectionOnly: body.own_connection_only ?? false,
  createdAt: new Date(),
  expiresAt: body.expires_at === undefined ? null : new Date(parseTimestamp(body.expires_at)!),
  revokedAt: null,
})
