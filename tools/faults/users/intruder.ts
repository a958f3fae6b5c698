// An intruder that keeps trying another application's connection, a revoked credential and a wrong secret.
// No fault may let it through.
import { randomBytes } from 'node:crypto'
import { send, type SendOptions, type SigningKey } from '@connectivity/toolkit/partner'
import type { History } from '../history/history-types.ts'
import type { Pace } from './pace.ts'

const PAUSE = 400
/** Address of intruders as the load balancer would report it: their failures count against no partner. */
const ADDRESS = { 'x-forwarded-for': '127.0.0.12' }
/** Longest wait for an answer, ms. */
const WITHIN = 15_000
/** A revocation is in force everywhere within this time, ms. */
const IN_FORCE_WITHIN = 1_000

/** A credential that must be refused. */
interface Credential {
  what: string
  signing: SigningKey
  /** Time from which it must be refused, ms. */
  since: number
}

/** Target of an intruder, and the keys that it tries. */
interface Who {
  /** A connection. */
  target: string
  /** Key of another application. */
  foreign: SigningKey
  /** Key of the target. */
  own: SigningKey
}

export class Intruder {
  readonly #baseUrl: string
  readonly #history: History
  readonly #target: string
  readonly #credentials: Credential[]

  constructor(baseUrl: string, { target, foreign, own }: Who, history: History) {
    this.#baseUrl = baseUrl
    this.#history = history
    this.#target = target
    const guessed = { ...own, signing_secret: randomBytes(32).toString('base64url') }
    this.#credentials = [
      { what: 'the credential of another application', signing: foreign, since: 0 },
      { what: 'a guessed secret', signing: guessed, since: 0 },
    ]
  }

  /** Adds a credential, revoked a moment ago, to the tries. */
  tryRevoked(signing: SigningKey): void {
    const since = Date.now() + IN_FORCE_WITHIN
    this.#credentials[2] = { what: 'a revoked credential', signing, since }
  }

  async run(pace: Pace): Promise<void> {
    for (; !pace.isOver; await pace.pause(PAUSE)) {
      await Promise.all(this.#credentials.map((credential) => this.#try(credential)))
    }
  }

  async #try({ what, signing, since }: Credential): Promise<void> {
    const from = Date.now()
    const query = { property_id: this.#target }
    const body = { ...query, acknowledgements: [{ event_id: 'evt_1', outcome: 'rejected' }] }
    const common = { within: WITHIN, headers: ADDRESS }
    const given = { ...common, key: `intrusion-${from}`, body }
    const tries: [method: string, path: string, options: SendOptions][] = [
      ['GET', '/reservations', { ...common, query }],
      ['POST', '/reservations/ack', given],
    ]
    for (const [method, path, options] of tries) {
      const sentAt = Date.now()
      const answer = await send(this.#baseUrl, method, path, signing, options).catch(() => null)
      const isInForce = sentAt >= since
      if (answer)
        this.#history.intrusions.push({
          what: `${what}: ${method} ${path}`,
          at: sentAt,
          status: answer.status,
          isInForce,
        })
    }
  }
}
