import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import type { RateLimitChanges } from '@connectivity/contracts/rate-limits'
import { notFound } from '@connectivity/service-kit/operators'
import type { Change } from '../changes/operator-changes.service.js'
import { type ApplicationState, mayMove, nextStates } from './application.js'
import type { ApplicationEntity } from './application.entity.js'
import { ApplicationStore } from './application.store.js'
import { presentApplication } from './application.view.js'
import { endPortalLinks, endTokens } from './ended-access.store.js'

/** Approves, suspends and limits applications. */
@Injectable()
export class ChangeApplicationService {
  constructor(private readonly applications: ApplicationStore) {}

  /** @throws ServiceError 404; 409 `invalid_transition` when its state does not allow the move */
  move(change: Change, id: string, to: ApplicationState): Promise<ApplicationEntity> {
    return this.alter(change, id, async (application) => {
      if (!mayMove(application.state, to)) {
        const next = nextStates(application.state).join(', ')
        const message = `The application is ${application.state}; it cannot become ${to}, only ${next}.`
        throw new ServiceError('invalid_transition', message)
      }
      application.state = to
      if (to === 'approved') application.approvedAt ??= new Date()
      if (to === 'suspended') await Promise.all([endTokens(change.tx, id), endPortalLinks(change.tx, id)])
    })
  }

  /**
   * Replaces the limits of the given classes and keeps the others.
   * @throws ServiceError 404
   */
  changeLimits(change: Change, id: string, limits: RateLimitChanges): Promise<ApplicationEntity> {
    return this.alter(change, id, (application) => {
      const given = Object.entries(limits).filter(([, limit]) => limit !== undefined)
      application.limits = { ...application.limits, ...Object.fromEntries(given) }
    })
  }

  private async alter(
    { tx, record }: Change,
    id: string,
    edit: (application: ApplicationEntity) => void | Promise<void>,
  ): Promise<ApplicationEntity> {
    const application = await this.applications.lock(tx, id)
    if (!application) throw notFound('application')
    const before = presentApplication(application)
    await edit(application)
    await this.applications.update(tx, application)
    record({ subject: id, before, after: presentApplication(application) })
    return application
  }
}
