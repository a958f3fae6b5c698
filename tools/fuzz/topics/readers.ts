// Positions of each service in its topics, from its database.
import pg from 'pg'
import { poll } from '@connectivity/toolkit/until'

const PATIENCE = 180_000
const LOOK_EVERY = 20

/** Next offset by `topic/partition`. */
export type Positions = ReadonlyMap<string, bigint>

/** The services as readers of topics: a database session for each, kept open. */
export class Readers {
  private readonly clients: ReadonlyMap<string, pg.Client>

  private constructor(clients: ReadonlyMap<string, pg.Client>) {
    this.clients = clients
  }

  /** @param databases addresses by service */
  static async open(databases: Record<string, string>): Promise<Readers> {
    const clients = Object.entries(databases).map(async ([service, connectionString]): Promise<[string, pg.Client]> => {
      const client = new pg.Client({ connectionString })
      await client.connect()
      return [service, client]
    })
    return new Readers(new Map(await Promise.all(clients)))
  }

  /**
   * Resolves when every service has reached the positions in the topics that it reads.
   * @returns services that did not reach them in time, each with its remaining partitions
   */
  async reached(positions: Positions): Promise<string[]> {
    const late = await Promise.all(
      [...this.clients].map(async ([service, client]) => {
        let left: string[] = []
        const isThere = async () => (left = await behind(client, positions)).length === 0
        await poll(isThere, { within: PATIENCE, every: LOOK_EVERY })
        return left.length > 0 ? [`${service}: ${left.join(', ')}`] : []
      }),
    )
    return late.flat()
  }

  async close(): Promise<void> {
    for (const client of this.clients.values()) await client.end()
  }
}

/** Places where the service has not reached the position, as `topic/partition`. */
async function behind(client: pg.Client, positions: Positions): Promise<string[]> {
  const { rows } = await client.query<{ place: string; next_offset: string }>(
    `SELECT topic || '/' || partition AS place, next_offset::text FROM consumed_offset`,
  )
  return rows
    .filter(({ place, next_offset }) => BigInt(next_offset) < (positions.get(place) ?? 0n))
    .map(({ place }) => place)
}
