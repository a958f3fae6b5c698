import { defaultLimits } from '@connectivity/contracts/rate-limits'
import type { ApplicationEntity } from './application.entity.js'

/** The application as operators see it. */
export const presentApplication = (application: ApplicationEntity): object => ({
  application_id: application.applicationId,
  name: application.name,
  contact: { name: application.contactName, email: application.contactEmail },
  state: application.state,
  limits: { ...defaultLimits, ...application.limits },
  created_at: application.createdAt,
  approved_at: application.approvedAt,
})
