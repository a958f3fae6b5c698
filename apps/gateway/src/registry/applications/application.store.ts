import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import type { Contact } from '@connectivity/contracts/operators-api'
import type { RateLimitChanges } from '@connectivity/contracts/rate-limits'
import { Database, type Transaction } from '@connectivity/database/database'
import type { PageRequest } from '@connectivity/service-kit/operators-page'
import { isId, notFound } from '@connectivity/service-kit/operators-record'
import { type EntityManager, MoreThan } from 'typeorm'
import { AuditStore } from '../audit/audit.store.js'
import { announceChange } from '../../live/changes.js'
import { endTokens } from '../../live/access-token.store.js'
import type { AuditContext } from '../changes/audit-context.js'
import { newId } from '../../new-id.js'
import { type ApplicationState, defaultLimits, mayMove } from './application.js'
import { ApplicationEntity, presentApplication } from './application.entity.js'

/** Applications, changed by operators only. */
@Injectable()
export class ApplicationStore {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditStore,
  ) {}

  create(context: AuditContext, { name, contact }: { name: string; contact: Contact }): Promise<ApplicationEntity> {
    return this.audit.change(context, async (entities) => {
      const application = await entities.save(ApplicationEntity, {
        applicationId: newId('app'),
        name,
        contactName: contact.name,
        contactEmail: contact.email,
        state: 'pending',
        limits: defaultLimits,
        createdAt: new Date(),
        approvedAt: null,
      })
      return {
        result: application,
        subject: application.applicationId,
        before: null,
        after: presentApplication(application),
      }
    })
  }

  /** @throws ServiceError 404; 409 `invalid_transition` when its state does not allow the move */
  move(context: AuditContext, id: string, to: ApplicationState): Promise<ApplicationEntity> {
    return this.alter(context, id, async (application, tx) => {
      if (!mayMove(application.state, to)) {
        throw new ServiceError('invalid_transition', `The application is ${application.state}; it cannot become ${to}.`)
      }
      application.state = to
      if (to === 'approved') application.approvedAt ??= new Date()
      if (to === 'suspended') await endTokens(tx, id)
    })
  }

  /** Replaces the limits of the given classes and keeps the others. */
  changeLimits(context: AuditContext, id: string, limits: RateLimitChanges): Promise<ApplicationEntity> {
    return this.alter(context, id, (application) => {
      const given = Object.entries(limits).filter(([, limit]) => limit !== undefined)
      application.limits = { ...application.limits, ...Object.fromEntries(given) }
    })
  }

  /** @throws ServiceError 404 */
  async find(id: string): Promise<ApplicationEntity> {
    const { manager } = await this.database.dataSource()
    return found(isId(id) ? await manager.findOneBy(ApplicationEntity, { applicationId: id }) : null)
  }

  /** Oldest first, one more than the page's limit. */
  async list({ limit, after }: PageRequest): Promise<ApplicationEntity[]> {
    const { manager } = await this.database.dataSource()
    const where = after === null ? {} : { applicationId: MoreThan(after) }
    return manager.find(ApplicationEntity, { where, order: { applicationId: 'ASC' }, take: limit + 1 })
  }

  private alter(
    context: AuditContext,
    id: string,
    edit: (application: ApplicationEntity, tx: Transaction) => void | Promise<void>,
  ): Promise<ApplicationEntity> {
    return this.audit.change(context, async (entities, tx) => {
      const application = await locked(entities, id)
      const before = presentApplication(application)
      await edit(application, tx)
      await entities.save(application)
      await announceChange(tx, 'application', id)
      return { result: application, subject: id, before, after: presentApplication(application) }
    })
  }
}

const found = (application: ApplicationEntity | null): ApplicationEntity => {
  if (!application) throw notFound('application')
  return application
}

async function locked(entities: EntityManager, id: string): Promise<ApplicationEntity> {
  if (!isId(id)) throw notFound('application')
  const where = { applicationId: id }
  return found(await entities.findOne(ApplicationEntity, { where, lock: { mode: 'pessimistic_write' } }))
}
