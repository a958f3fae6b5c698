import { type PartnerAnswer, send, type SignedConnection } from '@connectivity/toolkit/partner'

interface Asked {
  /** Sent as JSON. */
  body?: object
  headers?: Record<string, string>
  /** False: without any credentials. */
  signed?: boolean
}

/** Longer than any request waits, ms. */
const WITHIN = 60_000

/** Signed calls of a partner. */
export class PartnerCalls {
  constructor(
    private readonly baseUrl: string,
    private readonly connection: SignedConnection,
  ) {}

  /** @param path with query, below the base path */
  call(method: string, path: string, { body, headers, signed = true }: Asked = {}): Promise<PartnerAnswer<unknown>> {
    const signing = signed ? this.connection.signing : null
    return send(this.baseUrl, method, path, signing, { body, headers, within: WITHIN })
  }
}
