// An intruder that keeps trying another application's connection, a revoked credential and a wrong secret.
// No fault may let it through.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { send } from '../../local/demo/partner.mjs'

const PAUSE = 400
/** A revocation is in force everywhere within this time, ms. */
const IN_FORCE_WITHIN = 1_000

export class Intruder {
  #baseUrl
  #history
  #target
  #credentials

  /** @param {{ target: string, foreign: object, own: object }} who `foreign`: another application's key; `own`: the target's */
  constructor(baseUrl, { target, foreign, own }, history) {
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
  tryRevoked(signing) {
    const since = Date.now() + IN_FORCE_WITHIN
    this.#credentials[2] = { what: 'a revoked credential', signing, since }
  }

  async run(isOver) {
    for (; !isOver(); await sleep(PAUSE)) {
      await Promise.all(this.#credentials.map((credential) => this.#try(credential)))
    }
  }

  async #try({ what, signing, since }) {
    const from = Date.now()
    const query = { property_id: this.#target }
    const body = { ...query, acknowledgements: [{ event_id: 'evt_1', outcome: 'rejected' }] }
    const given = { key: `intrusion-${from}`, body, within: 15_000 }
    const tries = [
      ['GET', '/reservations', { query, within: 15_000 }],
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
