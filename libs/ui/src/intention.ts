import { RequestError } from './request-error.ts'

/** Makes the header of a request with this body. */
export type KeyOf = (body?: unknown) => { 'Idempotency-Key': string }

/**
 * Statuses of the refusals that the service stores under the key of a change: a repetition would get the same answer.
 */
const STORED = new Set([404, 409, 422])
/** Codes of refusals with these statuses that are not stored. */
const NOT_STORED = new Set(['idempotency_in_progress', 'callback_unreachable'])

const isStored = (error: unknown): boolean =>
  error instanceof RequestError && STORED.has(error.status) && !NOT_STORED.has(error.code ?? '')

/**
 * A change that a person wants: it is sent once at a time. Each of its requests keeps its key until it succeeds or its
 * refusal is stored, because an earlier attempt may have been carried out although its answer was lost.
 */
export class Intention {
  /** Keys by body. */
  private readonly keys = new Map<string, string>()
  /** Body of the last request. */
  private last = ''
  private isRunning = false

  readonly keyOf: KeyOf = (body = null) => {
    this.last = JSON.stringify(body)
    const key = this.keys.get(this.last) ?? crypto.randomUUID()
    this.keys.set(this.last, key)
    return { 'Idempotency-Key': key }
  }

  /** @returns false while the change is being sent */
  begin(): boolean {
    if (this.isRunning) return false
    return (this.isRunning = true)
  }

  /** Notes how an attempt has ended. */
  end(error: unknown): void {
    this.isRunning = false
    if (error === null) this.keys.clear()
    else if (isStored(error)) this.keys.delete(this.last)
  }

  /** Forgets all keys, so that the next attempt is a new change. @returns false while the change is being sent */
  renew(): boolean {
    if (!this.isRunning) this.keys.clear()
    return !this.isRunning
  }
}
