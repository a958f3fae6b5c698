import { OutboxParkedReason1795700000000 } from '@connectivity/database/migrations'
import { DeadLetterIds1795500000000, DeadLetterSettling1795700000001 } from '@connectivity/kafka/migrations'
import { Ari1795000000000 } from './1795000000000-ari.js'
import { Inventory1795400000000 } from './1795400000000-inventory.js'

/** Every migration of the ARI service's database, oldest first. */
export const migrations = [
  Ari1795000000000,
  Inventory1795400000000,
  DeadLetterIds1795500000000,
  OutboxParkedReason1795700000000,
  DeadLetterSettling1795700000001,
]
