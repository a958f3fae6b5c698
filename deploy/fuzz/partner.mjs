// A partner who sends what it is told to, signed.
import { createHash, createHmac } from 'node:crypto'
import { Pool } from 'undici'

export const BASE_PATH = '/api/connectivity/v1'
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
    const answer = await this.#pool.request({
      method,
      path: target,
      headers: { ...headers, ...(isSigned && this.#signature(method, target.split('?', 1)[0], body ?? '')) },
      body,
    })
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
  }

  close() {
    return this.#pool.close()
  }

  #signature(method, path, body) {
    const { key_id, signing_secret } = this.#signing
    const timestamp = String(Math.floor(Date.now() / 1000))
    const hash = createHash('sha256').update(body).digest('hex')
    const mac = createHmac('sha256', signing_secret).update([method, path, timestamp, hash].join('\n'))
    return { 'x-service-key-id': key_id, 'x-service-timestamp': timestamp, 'x-service-signature': mac.digest('hex') }
  }
}
