import { OutboxParkedReason1795700000000 } from '@connectivity/database/migrations'
import { DeadLetterIds1795500000000, DeadLetterSettling1795700000001 } from '@connectivity/kafka/migrations'
import { EndedSecrets1796000000000 } from './1796000000000-ended-secrets.js'
import { Gateway1763700000000 } from './1763700000000-gateway.js'
import { KnownProperties1795910000000 } from './1795910000000-known-properties.js'
import { OAuth1795200000000 } from './1795200000000-oauth.js'
import { PortalLinks1796400000000 } from './1796400000000-portal-links.js'
import { ProductionRequests1795400000000 } from './1795400000000-production-requests.js'
import { ReplayBinding1795300000000 } from './1795300000000-replay-binding.js'
import { ReplayBindingTarget1795800000001 } from './1795800000001-replay-binding-target.js'
import { KeyIdTag1795800000002 } from './1795800000002-key-id-tag.js'
import { RequestLogDays1796500000000 } from './1796500000000-request-log-days.js'
import { RequestLog1796300000000 } from './1796300000000-request-log.js'
import { TokenSecrets1795800000000 } from './1795800000000-token-secrets.js'

/** Append-only tables: the service's role may add audit entries, but not change or delete them. */
export const appendOnly = ['audit_entry']

/** The gateway's schema, oldest step first. */
export const migrations = [
  Gateway1763700000000,
  OAuth1795200000000,
  ReplayBinding1795300000000,
  ProductionRequests1795400000000,
  DeadLetterIds1795500000000,
  OutboxParkedReason1795700000000,
  DeadLetterSettling1795700000001,
  TokenSecrets1795800000000,
  ReplayBindingTarget1795800000001,
  KeyIdTag1795800000002,
  KnownProperties1795910000000,
  EndedSecrets1796000000000,
  RequestLog1796300000000,
  PortalLinks1796400000000,
  RequestLogDays1796500000000,
]
