export { OutboxParkedReason1795700000000 } from './1795700000000-outbox-parked-reason.js'
