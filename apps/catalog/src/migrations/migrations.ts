import { OutboxParkedReason1795700000000 } from '@connectivity/database/migrations'
import { DeadLetterIds1795500000000, DeadLetterSettling1795700000001 } from '@connectivity/kafka/migrations'
import { Catalog1795000000000 } from './1795000000000-catalog.js'
import { IdempotentAnswers1795100000000 } from './1795100000000-idempotent-answers.js'

/** Every migration of the catalog's database, oldest first. */
export const migrations = [
  Catalog1795000000000,
  IdempotentAnswers1795100000000,
  DeadLetterIds1795500000000,
  OutboxParkedReason1795700000000,
  DeadLetterSettling1795700000001,
]
