import { callbackSignatureHeaders } from '@connectivity/signing'
import { liveKeys, type SigningKey } from './callback-secrets.service.js'
import type { SendRequest } from './sender.js'

/** A message to a callback, and the keys that may sign it. */
export interface SignedMessage extends Pick<SendRequest, 'callback' | 'url' | 'body' | 'traceparent'> {
  eventId: string
  type: string
  /** Counts from 1. */
  attempt: number
  /** Newest first; those still valid at the time of sending sign. */
  keys: readonly SigningKey[]
}

/** Builds the POST of one attempt: event id, type, attempt number, and signatures with a fresh timestamp. */
export function signedRequest({ eventId, type, attempt, keys, ...request }: SignedMessage): SendRequest {
  const names = {
    'service-event-id': eventId,
    'service-event-type': type,
    'service-delivery-attempt': String(attempt),
  }
  const headers = (now: number) => {
    const signed = { eventId, timestamp: Math.floor(now / 1_000), body: request.body }
    return { ...names, ...callbackSignatureHeaders(signed, liveKeys(keys, now)) }
  }
  return { ...request, attempt: { eventId, type, attempt }, headers }
}
