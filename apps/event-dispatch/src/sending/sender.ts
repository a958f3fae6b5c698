/** One POST to a partner's callback. */
export interface SendRequest {
  /** Whose callback: its connection's id. */
  callback: string
  url: string
  body: Buffer
  /** Made when it goes out, whatever it had to wait for. Names in lower case; content type and length are the sender's. */
  headers: () => Record<string, string>
  /** What its span says of it. */
  attempt?: { eventId: string; type: string; attempt: number }
  /** Trace that the attempt is part of, where that is not the one of the request being answered; partners are not told. */
  traceparent?: string | null
}

/** How one request is sent where it differs from others. */
export interface SendOptions {
  /** Ends the attempt at once; its outcome is then `aborted`. */
  signal?: AbortSignal
  /** Longest wait for a place at a host that has many requests, ms; for as long as it takes if not given. */
  patience?: number
  /** Whether the answer's body is wanted, up to 16 KiB: for a challenge only. */
  wantsBody?: boolean
}

/** What became of an attempt. */
export interface Outcome {
  /** Status line of the answer; null when there was none. */
  status: number | null
  /** `Retry-After` of the answer in seconds, null when absent or unreadable. */
  retryAfterSeconds: number | null
  /** Short code of what went wrong before there was an answer, null when there was one. */
  error: SendError | null
  timedOut: boolean
  durationMs: number
  /** Of the answer, when it was wanted: at most 16 KiB. */
  body?: Buffer
}

/** What went wrong before there was an answer. */
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
  /** There was no place at its host in time: nothing was sent. */
  | 'no_place'

/** The one way out to partners. */
export interface Sender {
  /** Never throws and always ends: 3 s to connect, 15 s in all from when it has a place at its host. */
  send(request: SendRequest, options?: SendOptions): Promise<Outcome>
}

/** Injection token of the service's `Sender`. */
export const SENDER = Symbol('sender')
