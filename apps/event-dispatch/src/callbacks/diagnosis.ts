import type {
  BodyChangeCause,
  CallbackDiagnosisAnswer,
  CallbackVerdict,
  FirstDifference,
} from '@connectivity/contracts/callbacks'
import { verifyCallback } from '@connectivity/signing'
import type { SigningKey } from '../sending/callback-secrets.service.js'
import { causeOfChange, firstDifference } from './body-change.js'
import { type ReadSignature, readSignatures } from './signature-dialects.js'

/** A callback as a receiver got it. */
export interface ReceivedCallback {
  eventId: string
  /** Names in any case. */
  headers: Readonly<Record<string, string>>
  body: Buffer
}

/** The event as it was sent. */
export interface SentCallback {
  body: Buffer
  /** Times of all attempts, Unix seconds. */
  times: readonly number[]
  /** Keys of the callback, ended ones included. */
  keys: readonly SigningKey[]
}

/** The diagnosis itself, without the ids. */
export type Diagnosis = Pick<CallbackDiagnosisAnswer, 'verdict' | 'likely_cause' | 'first_difference' | 'message'>

/** Receivers accept a time this far from now, seconds. */
const WINDOW = 300

/** @param now ms since the epoch */
export function diagnose(received: ReceivedCallback, sent: SentCallback, now: number): Diagnosis {
  const signatures = readSignatures(received.headers, received.eventId)
  if (signatures === null) return of('header_missing', messages.header_missing)
  const own = signatures.filter(({ eventId }) => eventId === received.eventId)
  if (own.length === 0)
    return of('header_malformed', messages[signatures.length > 0 ? 'other_event' : 'header_malformed'])
  const difference = firstDifference(sent.body, received.body)
  if (difference) return changed(difference, causeOfChange(sent.body, received.body))
  return ofSignatures(own, sent, now)
}

function ofSignatures(
  signatures: readonly ReadSignature[],
  { body, keys, times }: SentCallback,
  now: number,
): Diagnosis {
  const verifiedBy = ({ key }: SigningKey) =>
    signatures.find(({ macs, ...signed }) => macs.some((mac) => verifyCallback(key, { ...signed, body }, mac)))
  const verified = keys
    .filter(({ endsAt }) => endsAt > now)
    .map(verifiedBy)
    .find((found) => found !== undefined)
  if (!verified) return of('wrong_secret', messages[keys.some(verifiedBy) ? 'ended_secret' : 'wrong_secret'])
  const isKnown = times.includes(verified.timestamp)
  const isRecent = Math.abs(Math.floor(now / 1_000) - verified.timestamp) <= WINDOW
  return isKnown || isRecent ? of('valid', messages.valid) : of('stale_timestamp', messages.stale_timestamp)
}

const of = (verdict: CallbackVerdict, message: string): Diagnosis => ({
  verdict,
  likely_cause: null,
  first_difference: null,
  message,
})

const changed = (first_difference: FirstDifference, likely_cause: BodyChangeCause): Diagnosis => ({
  verdict: 'body_changed',
  likely_cause,
  first_difference,
  message: messages[likely_cause],
})

const messages = {
  header_missing: 'Send Service-Signature, or webhook-id, webhook-timestamp and webhook-signature, as received.',
  header_malformed:
    'The signature headers cannot be read; copy them whole: Service-Signature is t=<unix seconds>,v1=<64 hex digits>.',
  other_event: 'The headers belong to another event; send the headers and the body of one callback.',
  json_reserialised:
    'The body is the same JSON written in another way; verify the bytes as they arrive, before anything parses them.',
  charset: 'The body was decoded and encoded in another character set; verify the bytes as they arrive.',
  truncated: 'The body ends too early; read as many bytes as Content-Length says before you verify them.',
  unknown: 'The body is not the one that was sent for this event; verify the bytes as they arrive.',
  ended_secret:
    'The secret that signed this callback was ended by a rotation; verify new callbacks with the current secret.',
  wrong_secret:
    'No secret of this callback that we still hold made this signature. Verify with the secret of the latest rotation, and ' +
    'copy the headers unchanged; if you no longer have that secret, get a new one with POST …/callback/rotate-secret.',
  stale_timestamp:
    'The signature holds, but its time was never sent for this event and is more than 300 s from now; it may be a replay.',
  valid:
    'The callback is as it was sent. If your check refuses it, compare the bytes that it signs, the key decoded from ' +
    'base64 after whsec_, and your clock.',
} as const
