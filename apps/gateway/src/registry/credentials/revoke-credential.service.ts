import { Injectable } from '@nestjs/common'
import { notFound } from '@connectivity/service-kit/operators'
import type { Change } from '../changes/operator-changes.service.js'
import { CredentialStore } from './credential.store.js'
import { presentCredential } from './credential.view.js'

/** Revokes credentials. */
@Injectable()
export class RevokeCredentialService {
  constructor(private readonly credentials: CredentialStore) {}

  /**
   * Revokes a credential at once; repeating it changes nothing.
   * @throws ServiceError 404
   */
  async revoke({ tx, record }: Change, id: string): Promise<object> {
    const credential = await this.credentials.lock(tx, id)
    if (!credential) throw notFound('credential')
    const lastUse = (await this.credentials.lastUses([id], tx)).get(id) ?? null
    const before = presentCredential(credential, lastUse)
    if (credential.revokedAt) return before
    credential.revokedAt = new Date()
    await this.credentials.update(tx, credential)
    const after = presentCredential(credential, lastUse)
    record({ subject: id, before, after })
    return after
  }
}
