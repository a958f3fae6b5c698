export { DeadLetterIds1795500000000 } from './1795500000000-dead-letter-ids.js'
export { DeadLetterSettling1795700000001 } from './1795700000001-dead-letter-settling.js'
