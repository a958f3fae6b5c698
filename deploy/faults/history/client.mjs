// A partner's client as the guides demand: it retries timeouts, broken connections, 429, 5xx and "in progress".
import { setTimeout as sleep } from 'node:timers/promises'
import { send } from '../../local/demo/partner.mjs'

const PATIENCE = 20_000
const FIRST_PAUSE = 100
const LONGEST_PAUSE = 1_000

const isInProgress = ({ status, body }) => status === 409 && body?.error?.code === 'idempotency_in_progress'

const isProper = ({ status }) => status < 300 || status === 304

/** Sends calls with one connection's credential and records their failures. */
export class Client {
  #baseUrl
  #signing
  #history

  constructor(baseUrl, signing, history) {
    this.#baseUrl = baseUrl
    this.#signing = signing
    this.#history = history
  }

  /**
   * Tries once; null when no answer came.
   * @param {{ query?: object, body?: object, key?: string, refusals?: number[] }} given `refusals`: statuses that are as
   *   good as success
   */
  async try(method, path, given = {}) {
    const from = Date.now()
    const answer = await send(this.#baseUrl, method, path, this.#signing, { ...given, within: PATIENCE }).catch(
      (error) => ({ status: 0, words: error.cause?.code ?? error.cause?.message ?? error.name }),
    )
    if (isProper(answer) || given.refusals?.includes(answer.status) || isInProgress(answer)) return answer
    const words = answer.words ?? `${answer.status} ${answer.body?.error?.code}`
    this.#history.failures.push({ from, at: Date.now(), what: `${method} ${path}`, answer: words })
    return answer.status === 0 ? null : answer
  }

  /** Tries until the answer is final, or until `isOver()`; undefined in that case. */
  async send(method, path, given, isOver = () => false) {
    for (let pause = FIRST_PAUSE; !isOver(); pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      const answer = await this.try(method, path, given)
      if (answer && answer.status < 500 && answer.status !== 429 && !isInProgress(answer)) return answer
      await sleep(pause)
    }
    return undefined
  }
}
