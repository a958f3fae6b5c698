export { type DeadLetterFilter, deadLetterFilter } from './dead-letter-filter.js'
export { DeadLetterStore } from './dead-letter.store.js'
export { presentDeadLetter } from './dead-letter.view.js'
