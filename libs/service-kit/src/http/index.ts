export { BodyPipe, objectOf, readBody } from './body.pipe.js'
export { ChangeStream } from './change-stream.routes.js'
export { whileClientWaits } from './client-gone.js'
export { correlationIdFrom } from './correlation.js'
export { matchesTag } from './entity-tag.js'
export { answerHeaders, toServiceError } from './error-envelope.filter.js'
export { bodyHashOf, checkJsonMediaType } from './json-body.js'
export { headerValues } from './raw-headers.js'
export {
  CLIENT_GONE,
  countUnreadable,
  ERROR_CODE_HEADER,
  noteError,
  noteStoredAnswer,
  type RequestRecord,
  rounded,
} from './request-record.js'
export { idleCloser } from './unused-connections.js'
export { parseStrictJson, readStrictJson, readStrictJsonInSlices, type StrictReading, valueOf } from './strict-json.js'
