// The partners' side of the wire: sends requests as they are drawn, signed with a lane's credential.
import { randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import { BASE_PATH } from '@connectivity/toolkit/partner'
import { type Answer, FRESH_KEY, type Request } from '../model/request.ts'
import { Signatures, type Signing } from './signatures.ts'

const KEY = 'idempotency-key'

/** Longest wait for an answer, ms: a service blocked by an input answers late, which is a finding, not an error. */
const PATIENCE = 180_000

export class Partner {
  private readonly pool: Pool
  private readonly signatures = new Signatures()

  /** @param connections requests in flight at most */
  constructor(baseUrl: string, connections: number) {
    this.pool = new Pool(baseUrl, { connections, headersTimeout: PATIENCE, bodyTimeout: PATIENCE })
  }

  async send(request: Request, signing: Signing): Promise<Answer> {
    const { method, path, headers, body } = request
    const {
      statusCode,
      headers: answered,
      body: text,
    } = await this.pool.request({
      method: method as 'GET',
      path: BASE_PATH + path,
      headers: {
        ...headers,
        ...(headers[KEY] === FRESH_KEY && { [KEY]: randomUUID() }),
        ...this.signatures.headersOf(request, signing),
      },
      body,
    })
    return { status: statusCode, headers: answered, text: await text.text() }
  }

  close(): Promise<void> {
    return this.pool.close()
  }
}
