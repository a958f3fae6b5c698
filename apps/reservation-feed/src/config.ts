import { databaseKeys } from '@connectivity/database'
import { kafkaKeys } from '@connectivity/kafka/broker'
import { as, type ConfigKeys, type ConfigOf } from '@connectivity/service-kit/config'
import { behindGatewayKeys, cursorKeys, serviceKeys } from '@connectivity/service-kit/service'

/** Seconds of an interval in SQL, up to three years. */
const seconds = as.integer(1, 100_000_000)

/** Every configuration key of the reservation feed. */
export const configKeys = {
  ...serviceKeys,
  ...behindGatewayKeys(8083),
  ...databaseKeys,
  ...kafkaKeys,
  ...cursorKeys,
  EVENTS_PER_TRANSACTION: {
    about: 'Kafka messages that take effect together; fewer cost more CPU each.',
    read: as.positiveInteger,
    fallback: '500',
  },
  CLOSED_FEED_DAYS: {
    about: 'Days for which the rows of a closed connection are kept.',
    read: as.positiveInteger,
    fallback: '30',
  },
  TIMELINE_DAYS: {
    about: 'Days for which the changes of a reservation stay in its timeline.',
    read: as.integer(1, 3_650),
    fallback: '90',
  },
  PROOF_ANSWER_SECONDS: {
    about: 'Time for which a partner can prove an answered digest, although the feed has changed since.',
    read: seconds,
    fallback: '300',
  },
  PROGRESS_WRITE_SECONDS: {
    about: "Least time between two writes of a partner's progress with its feed.",
    read: as.positiveInteger,
    fallback: '2',
  },
  RISK_WAIT_SECONDS: {
    about: 'Time after which a reservation that its partner has not fetched is at risk if the arrival is near.',
    read: seconds,
    fallback: '1800',
  },
  RISK_ARRIVAL_DAYS: {
    about: "Arrivals at most this many days ahead, by the property's calendar, are near.",
    read: as.positiveInteger,
    fallback: '2',
  },
  RISK_LONG_WAIT_SECONDS: {
    about: 'Time after which a reservation that its partner has not fetched is at risk, whenever the arrival is.',
    read: seconds,
    fallback: '86400',
  },
} satisfies ConfigKeys

/** Values of the configuration keys. */
export type FeedConfig = ConfigOf<typeof configKeys>

/** Injection token of `FeedConfig`. */
export const FEED_CONFIG = Symbol('feed config')
