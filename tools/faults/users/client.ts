// A partner's client as the guides demand: it retries timeouts, broken connections, 429, 5xx and "in progress".
import { setTimeout as sleep } from 'node:timers/promises'
import type { ErrorBody } from '@connectivity/contracts/errors'
import { send, type SendOptions, type SigningKey } from '@connectivity/toolkit/partner'
import type { History } from '../history/history-types.ts'

const PATIENCE = 20_000
const FIRST_PAUSE = 100
const LONGEST_PAUSE = 1_000

/** Options of a call. */
interface Given extends Omit<SendOptions, 'within'> {
  /** Statuses that count as success. */
  refusals?: number[]
}

/** An answer of the service. */
export interface Answer {
  status: number
  /** Undefined if it is not JSON. */
  body: unknown
}

/** Status 0 and a reason, when no answer came. */
interface Aborted extends Answer {
  words?: string
}

/** Error of `fetch`: a broken connection has a cause, a timeout has none. */
interface FetchError {
  name: string
  cause?: { code?: string; message?: string }
}

const codeOf = ({ body }: Answer): string | undefined => (body as Partial<ErrorBody> | undefined)?.error?.code

const isInProgress = (answer: Answer): boolean => answer.status === 409 && codeOf(answer) === 'idempotency_in_progress'

const isProper = ({ status }: Answer): boolean => (status >= 200 && status < 300) || status === 304

const aborted = ({ name, cause }: FetchError): Aborted => ({
  status: 0,
  body: undefined,
  words: cause?.code ?? cause?.message ?? name,
})

/** Sends calls with one connection's credential and records their failures. */
export class Client {
  readonly #baseUrl: string
  readonly #signing: SigningKey
  readonly #history: History

  constructor(baseUrl: string, signing: SigningKey, history: History) {
    this.#baseUrl = baseUrl
    this.#signing = signing
    this.#history = history
  }

  /** Tries once; null when no answer came. */
  async try(method: string, path: string, given: Given = {}): Promise<Answer | null> {
    const from = Date.now()
    this.#history.requests += 1
    const options = { ...given, within: PATIENCE }
    const answer: Aborted = await send(this.#baseUrl, method, path, this.#signing, options).catch(aborted)
    if (isProper(answer) || given.refusals?.includes(answer.status) || isInProgress(answer)) return answer
    const words = answer.words ?? `${answer.status} ${codeOf(answer)}`
    this.#history.failures.push({ from, at: Date.now(), what: `${method} ${path}`, answer: words })
    return answer.status === 0 ? null : answer
  }

  /** Tries until the answer is final. */
  async send(method: string, path: string, given: Given): Promise<Answer> {
    for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      const answer = await this.try(method, path, given)
      if (answer && answer.status < 500 && answer.status !== 429 && !isInProgress(answer)) return answer
      await sleep(pause)
    }
  }
}
