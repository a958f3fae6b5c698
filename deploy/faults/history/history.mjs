// Record of a run, as observed from outside the services. `check/` judges it.

/**
 * @typedef {{ id: string, updated_at: string, version: number | null, status: string | null, rooms: (string | null)[],
 *   isProblem: boolean }} Row a reservation or a problem as a page of the feed showed it
 *
 * @typedef {object} History times `at` and `from` are ms; every list is in the order of its time
 * @property {number} seed
 * @property {{ connection: string, property: string }[]} connections
 * @property {{ partition: number, offset: string, text: string }[]} source the topic of bookings, as it lies in Kafka
 * @property {{ partition: number, offset: string }[]} deadLetters of that topic
 * @property {{ connection: string, at: number, isFirst: boolean, rows: Row[] }[]} pages served to the poller of a
 *   connection; `isFirst`: of a pull
 * @property {{ connection: string, at: number, version: number, rooms: Record<string, string> }[]} mappings answers 200:
 *   the whole mapping of rooms
 * @property {{ property: string, key: string, amount: string, block: number, isGood: boolean, from: number, at: number,
 *   status: number, revision: number | null }[]} ari answers to writes, each repetition with its own
 * @property {{ property: string, from: number, at: number, revision: number, cells: { block: number,
 *   amount: string }[] }[]} inventory content of a read
 * @property {{ property: string, revision: number, cells: { room: string, amount: string }[] }[]} updates the topic of ARI
 *   updates, as it lies in Kafka
 * @property {{ connection: string, event_id: string, sequence: number, id: string, updated_at: string }[]} events the
 *   topic of reservation events, as it lies in Kafka
 * @property {{ connection: string, event_id: string, sequence: number, id: string, at: number, isVerified: boolean,
 *   isTaken: boolean }[]} deliveries requests at the receiver; `isTaken`: answered 204
 * @property {{ connection: string, event_id: string, isKnown: boolean }[]} acknowledged answered 200
 * @property {{ connection: string, event_id: string, state: string, isAcknowledged: boolean }[]} index the index of events
 * @property {{ what: string, at: number, status: number, isInForce: boolean }[]} intrusions requests that must be refused;
 *   `isInForce` false: the credential may still pass
 * @property {{ from: number, at: number, what: string, answer: string }[]} failures requests of partners that got no proper
 *   answer: aborted, 5xx, or an undeserved refusal
 * @property {{ name: string, from: number, at: number }[]} noFailure periods in which no request may fail
 * @property {{ name: string, error: string }[]} unrecovered faults after which the system did not recover
 * @property {import('../isolation/figures.ts').Round[]} isolation observations of a healthy partner during attacks
 */

/** @returns {History} */
export const newHistory = (seed) => ({
  seed,
  connections: [],
  source: [],
  deadLetters: [],
  pages: [],
  mappings: [],
  ari: [],
  inventory: [],
  updates: [],
  events: [],
  deliveries: [],
  acknowledged: [],
  index: [],
  intrusions: [],
  failures: [],
  noFailure: [],
  unrecovered: [],
  isolation: [],
})
