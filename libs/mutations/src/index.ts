export {
  answerOnce,
  answersBefore,
  type BodySeal,
  fingerprintOf,
  inProgress,
  keyReused,
  storedRefusal,
} from './idempotency.js'
export { idempotencyRetention } from './idempotency-retention.js'
export { storeAnswers } from './idempotent-answer.store.js'
export { idempotentMutation, sendAnswer } from './idempotent-mutation.js'
export type { Answer, IdempotentRequest } from './idempotent-request.js'
export { type AuditedChange, recordInAudit, runOperatorChange } from './operator-change.js'
export { recordedChange } from './persons-change.js'
export { PreparedMutations } from './prepared-mutation.js'
