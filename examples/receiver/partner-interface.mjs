// Client of the partner interface with OAuth client credentials.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const API = '/api/connectivity/v1'
const STATE_DIR = fileURLToPath(new URL('../../deploy/local/.state', import.meta.url))

/**
 * Reads address and credentials: BASE_URL, PROPERTY_ID, CLIENT_ID and CLIENT_SECRET from the environment, else the
 * demo.json that the stack of `npm start` writes to its STATE_DIR.
 * @throws Error when there is neither
 */
export function readSettings(env = process.env) {
  const { BASE_URL: baseUrl, PROPERTY_ID, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret } = env
  if (baseUrl) {
    if (PROPERTY_ID && clientId && clientSecret) return { baseUrl, propertyId: PROPERTY_ID, clientId, clientSecret }
    throw new Error('BASE_URL is set: set PROPERTY_ID, CLIENT_ID and CLIENT_SECRET too.')
  }
  const file = join(env.STATE_DIR ?? STATE_DIR, 'demo.json')
  if (!existsSync(file)) {
    throw new Error('No stack is running: run npm start, or set BASE_URL, PROPERTY_ID, CLIENT_ID and CLIENT_SECRET.')
  }
  const demo = JSON.parse(readFileSync(file, 'utf8'))
  const { property_id: propertyId, oauth } = demo.applications[0].connections[0]
  return { baseUrl: demo.base_url, propertyId, clientId: oauth.client_id, clientSecret: oauth.client_secret }
}

/** Calls the interface as one partner. After a 401 it gets a new token and repeats the call once. */
export class PartnerInterface {
  #settings
  #token = null

  constructor(settings) {
    this.#settings = settings
  }

  get propertyId() {
    return this.#settings.propertyId
  }

  /**
   * @param {string} path below the base path
   * @param {string} key Idempotency-Key of a change: a repeated call with the same key takes effect only once
   * @returns {Promise<{ status: number, body: any }>}
   */
  async call(method, path, { body, key } = {}) {
    const first = await this.#send(method, path, body, key)
    if (first.status !== 401) return first
    this.#token = null
    return this.#send(method, path, body, key)
  }

  async #send(method, path, body, key) {
    this.#token ??= await this.#newToken()
    const response = await this.#fetch(path, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(key && { 'idempotency-key': key }),
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body && JSON.stringify(body),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : JSON.parse(text) }
  }

  async #newToken() {
    const { clientId, clientSecret } = this.#settings
    const response = await this.#fetch('/oauth/token', {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
      }),
    })
    const { access_token: token, error } = await response.json()
    if (!token) throw new Error(`The service gives no access token: ${error?.message}`)
    return token
  }

  async #fetch(path, options) {
    const { baseUrl } = this.#settings
    try {
      return await fetch(`${baseUrl}${API}${path}`, options)
    } catch (error) {
      throw new Error(`No answer from ${baseUrl}: ${error.cause?.message ?? error.message}.`, { cause: error })
    }
  }
}
