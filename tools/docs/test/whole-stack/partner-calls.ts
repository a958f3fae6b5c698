import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { bodyHash, signRequest } from '@connectivity/signing/canonical-request'
import type { DemoConnection } from '@connectivity/testing/whole-stack'

export interface Answer {
  status: number
  headers: Headers
  text: string
  json: unknown
}

interface Asked {
  /** Sent as JSON. */
  body?: unknown
  headers?: Record<string, string>
  /** False: without any credentials. */
  signed?: boolean
}

/** Signed calls of a partner. */
export class PartnerCalls {
  constructor(
    private readonly baseUrl: string,
    private readonly connection: DemoConnection,
  ) {}

  /** @param path with query, below the base path */
  async call(method: string, path: string, { body, headers, signed = true }: Asked = {}): Promise<Answer> {
    const target = BASE_PATH + path
    const text = body === undefined ? '' : JSON.stringify(body)
    const answer = await fetch(this.baseUrl + target, {
      method,
      ...(body !== undefined && { body: text }),
      headers: {
        ...(signed && this.signature(method, target.split('?', 1)[0]!, text)),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
    })
    const given = await answer.text()
    return {
      status: answer.status,
      headers: answer.headers,
      text: given,
      json: given === '' ? null : JSON.parse(given),
    }
  }

  private signature(method: string, path: string, body: string): Record<string, string> {
    const { key_id, signing_secret } = this.connection.signing
    const timestamp = String(Math.floor(Date.now() / 1000))
    const signed = { method, path, timestamp, bodyHash: bodyHash(Buffer.from(body)) }
    return {
      'x-service-key-id': key_id,
      'x-service-timestamp': timestamp,
      'x-service-signature': signRequest(signing_secret, signed),
    }
  }
}
