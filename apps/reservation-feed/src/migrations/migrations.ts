import { OutboxParkedReason1795700000000 } from '@connectivity/database/migrations'
import { DeadLetterIds1795500000000, DeadLetterSettling1795700000001 } from '@connectivity/kafka/migrations'
import { Feed1795000000000 } from './1795000000000-feed.js'
import { ClosingAndRedelivery1795200000000 } from './1795200000000-closing-and-redelivery.js'
import { FeedHeadNotifications1796000000000 } from './1796000000000-feed-head-notifications.js'
import { PilotEvidence1795300000000 } from './1795300000000-pilot-evidence.js'
import { Digest1796100000000 } from './1796100000000-digest.js'
import { FeedRowIndex1796100000001 } from './1796100000001-feed-row-index.js'
import { DeliveryStatus1796200000000 } from './1796200000000-delivery-status.js'
import { ProblemRows1796400000000 } from './1796400000000-problem-rows.js'
import { ProblemOrder1796500000000 } from './1796500000000-problem-order.js'
import { KnownConnections1796200000001 } from './1796200000001-known-connections.js'
import { TimelineDays1796600000000 } from './1796600000000-timeline-days.js'
import { ReservationStamps1796300000000 } from './1796300000000-reservation-stamps.js'

/** Every migration of the reservation feed's database, oldest first. */
export const migrations = [
  Feed1795000000000,
  ClosingAndRedelivery1795200000000,
  PilotEvidence1795300000000,
  DeadLetterIds1795500000000,
  OutboxParkedReason1795700000000,
  DeadLetterSettling1795700000001,
  FeedHeadNotifications1796000000000,
  Digest1796100000000,
  FeedRowIndex1796100000001,
  DeliveryStatus1796200000000,
  KnownConnections1796200000001,
  ReservationStamps1796300000000,
  ProblemRows1796400000000,
  ProblemOrder1796500000000,
  TimelineDays1796600000000,
]
