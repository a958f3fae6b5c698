// A partner who sends what it is told to, signed.
import { Pool } from 'undici'
import { BASE_PATH, signedHeaders } from '../local/demo/partner.mjs'

const CONNECTIONS = 8

export class Partner {
  #pool
  #signing

  constructor(baseUrl, { signing }) {
    this.#pool = new Pool(baseUrl, { connections: CONNECTIONS })
    this.#signing = signing
  }

  /** @returns `{ status, headers, text }` */
  async send({ method, path, headers, body, isSigned }) {
    const target = BASE_PATH + path
    const signature = isSigned && signedHeaders(method, target.split('?', 1)[0], body ?? '', this.#signing)
    const answer = await this.#pool.request({
      method,
      path: target,
      headers: { ...headers, ...signature },
      body,
    })
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
  }

  close() {
    return this.#pool.close()
  }
}
