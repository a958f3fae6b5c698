export { loggedError } from './logged-error.js'
export { createLogger, LOGGER, type Logger } from './logging.js'
export { ThrottledLog } from './throttled-log.js'
