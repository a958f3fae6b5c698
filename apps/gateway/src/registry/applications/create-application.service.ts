import { Injectable } from '@nestjs/common'
import type { CreateApplication } from '@connectivity/contracts/operators-api'
import { defaultLimits } from '@connectivity/contracts/rate-limits'
import { newId } from '@connectivity/service-kit/text'
import type { Change } from '../changes/operator-changes.service.js'
import type { ApplicationEntity } from './application.entity.js'
import { ApplicationStore } from './application.store.js'
import { presentApplication } from './application.view.js'

/** Creates an application, which an operator must approve before it gets credentials. */
@Injectable()
export class CreateApplicationService {
  constructor(private readonly applications: ApplicationStore) {}

  /** Creates a pending application with the default limits, and records the change. */
  async create({ tx, record }: Change, { name, contact }: CreateApplication): Promise<ApplicationEntity> {
    const application: ApplicationEntity = {
      applicationId: newId('app'),
      name,
      contactName: contact.name,
      contactEmail: contact.email,
      state: 'pending',
      limits: defaultLimits,
      createdAt: new Date(),
      approvedAt: null,
    }
    await this.applications.insert(tx, application)
    record({ subject: application.applicationId, before: null, after: presentApplication(application) })
    return application
  }
}
