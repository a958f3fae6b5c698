import { mayPass, RequestError } from './request-error.ts'

/** Makes the header of a request with this body. */
export type KeyOf = (body?: unknown) => { 'Idempotency-Key': string }

/** Whether it is unknown if the change was made, so that the same request must be repeated under the same key. */
const isOpen = (error: unknown): boolean =>
  !(error instanceof RequestError) || mayPass(error) || error.code === 'idempotency_in_progress'

/** A change that a person wants: it is sent once at a time, and each of its requests keeps its key until it is answered. */
export class Intention {
  /** Keys by body. */
  private readonly keys = new Map<string, string>()
  private isRunning = false

  readonly keyOf: KeyOf = (body = null) => {
    const content = JSON.stringify(body)
    const key = this.keys.get(content) ?? crypto.randomUUID()
    this.keys.set(content, key)
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
    if (error === null || !isOpen(error)) this.keys.clear()
  }

  /** Takes the next attempt for another intention. @returns false while the change is being sent */
  renew(): boolean {
    if (!this.isRunning) this.keys.clear()
    return !this.isRunning
  }
}
