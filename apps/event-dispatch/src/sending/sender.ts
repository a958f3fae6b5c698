/** One POST to a partner's callback. */
export interface SendRequest {
  /** The connection id of the callback. */
  callback: string
  url: string
  body: Buffer
  /**
   * Created when the request is sent, after any wait. Names in lower case; the sender adds content type and length.
   * @param now of the signature, ms since the epoch
   */
  headers: (now: number) => Record<string, string>
  /** Attributes of the attempt's span. */
  attempt?: { eventId: string; type: string; attempt: number }
  /** Trace of the attempt, if it is not that of the request being answered; not sent to partners. */
  traceparent?: string | null
}

/** Options of one request. */
export interface SendOptions {
  /** Ends the attempt at once; its outcome is then `aborted`. */
  signal?: AbortSignal
  /** Longest wait for a place at a busy host, ms; unlimited if not given. */
  maxWait?: number
  /** Whether more than the beginning of the answer's body is wanted: for a challenge only. */
  wantsBody?: boolean
}

/** Bytes of an unwanted body that are kept, to show them to the partner. */
export const EXCERPT_BYTES = 1_024

/** Outcome of an attempt. */
export interface Outcome {
  /** Status of the answer; null if there was none. */
  status: number | null
  /** `Retry-After` of the answer in seconds, null if absent or unreadable. */
  retryAfterSeconds: number | null
  /** Short code of the failure before an answer; null if there was an answer. */
  error: SendError | null
  timedOut: boolean
  /** Time that the signature holds, ms since the epoch; when the attempt began if nothing was signed. */
  at: number
  durationMs: number
  /** The first bytes of the answer's body: at most 16 KiB if wanted, else 1 KiB. */
  body: Buffer
}

/** Failures before an answer. */
export type SendError =
  | 'timeout'
  | 'blocked_address'
  | 'dns_error'
  | 'connection_refused'
  | 'connection_reset'
  | 'tls_error'
  | 'protocol_error'
  | 'network_error'
  | 'aborted'
  /** No place at its host became free in time; nothing was sent. */
  | 'no_place'

/** The only way out to partners. */
export interface Sender {
  /** Never throws and always ends: 3 s to connect, 15 s in all from when it has a place at its host. */
  send(request: SendRequest, options?: SendOptions): Promise<Outcome>
}

/** Injection token of the service's `Sender`. */
export const SENDER = Symbol('sender')
