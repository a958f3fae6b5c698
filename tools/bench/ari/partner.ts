// A partner that writes prices: signed POST /ari over keep-alive connections.
import { randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import type { AriWrite, AriWritten } from '@connectivity/contracts/ari'
import { BASE_PATH, type SignedConnection, signedHeaders } from '@connectivity/toolkit/partner'
import { RATE_PLAN, roomId } from './property.ts'

const PATH = `${BASE_PATH}/ari`

export class WritingPartner {
  readonly #pool: Pool

  constructor(baseUrl: string, connections: number) {
    this.#pool = new Pool(baseUrl, { connections })
  }

  /** Sets one price for each named room on the days; anything but 200 throws. */
  async price(
    { property_id, signing }: SignedConnection,
    rooms: readonly number[],
    [from, to]: readonly [string, string],
    amount: string,
  ): Promise<AriWritten> {
    const updates = rooms.map((number) => ({
      room_id: roomId(number),
      rate_plan_id: RATE_PLAN,
      date_from: from,
      date_to: to,
      rates: [{ amount }],
    }))
    const body = JSON.stringify({ property_id, currency: 'EUR', updates } satisfies AriWrite)
    const headers = {
      ...signedHeaders('POST', PATH, body, signing),
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    }
    const answer = await this.#pool.request({ method: 'POST', path: PATH, headers, body })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${text}`)
    return JSON.parse(text) as AriWritten
  }

  close(): Promise<void> {
    return this.#pool.close()
  }
}
