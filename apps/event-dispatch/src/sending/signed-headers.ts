import { callbackSignatureHeaders } from '@connectivity/signing/callback-signature'
import type { SignedHeaders } from './sender.js'

/** The headers of one attempt: its name, kind and number, and the signatures with a fresh timestamp. */
export const signedHeaders: SignedHeaders = ({ eventId, type, attempt, body, secrets, now }) => ({
  'service-event-id': eventId,
  'service-event-type': type,
  'service-delivery-attempt': String(attempt),
  ...callbackSignatureHeaders({ eventId, timestamp: Math.floor(now / 1_000), body }, secrets),
})
