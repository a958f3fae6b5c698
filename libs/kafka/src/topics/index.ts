export { createTopics, topicConfig } from './create-topics.js'
export { grantAccess } from './grant-access.js'
export { waitForTopics } from './wait-for-topics.js'
export { WATCHED_TOPIC, WatchedLog } from './watched-log.js'
