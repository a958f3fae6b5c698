import { OutboxParkedReason1795700000000 } from '@connectivity/database/migrations'
import { DeadLetterIds1795500000000, DeadLetterSettling1795700000001 } from '@connectivity/kafka/migrations'
import { EventDispatch1795000000000 } from './1795000000000-event-dispatch.js'
import { Deliveries1795400000000 } from './1795400000000-deliveries.js'
import { IdempotentClaims1795600000000 } from './1795600000000-idempotent-claims.js'
import { RetryTimes1795700000000 } from './1795700000000-retry-times.js'
import { BacklogChanges1795800000000 } from './1795800000000-backlog-changes.js'
import { EventTraces1795900000000 } from './1795900000000-event-traces.js'
import { ShownErrors1796000000000 } from './1796000000000-shown-errors.js'
import { DeliveryAttempts1796100000000 } from './1796100000000-delivery-attempts.js'
import { EventNotifications1796100000001 } from './1796100000001-event-notifications.js'
import { ReservationEvents1796300000000 } from './1796300000000-reservation-events.js'
import { EventStateNotifications1796600000000 } from './1796600000000-event-state-notifications.js'
import { DeliveryStateNotifications1796600000001 } from './1796600000001-delivery-state-notifications.js'

/** Every migration of event dispatch's database, oldest first. */
export const migrations = [
  EventDispatch1795000000000,
  Deliveries1795400000000,
  DeadLetterIds1795500000000,
  IdempotentClaims1795600000000,
  RetryTimes1795700000000,
  OutboxParkedReason1795700000000,
  DeadLetterSettling1795700000001,
  BacklogChanges1795800000000,
  EventTraces1795900000000,
  ShownErrors1796000000000,
  DeliveryAttempts1796100000000,
  EventNotifications1796100000001,
  ReservationEvents1796300000000,
  EventStateNotifications1796600000000,
  DeliveryStateNotifications1796600000001,
]
