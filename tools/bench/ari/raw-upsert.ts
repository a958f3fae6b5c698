// The floor: writes the same cells to a table of the same form with one `unnest` upsert in its own transaction.
import { Pool } from 'pg'

const SEPARATOR = '\x1f'
const array = (n: number, type: string): string => `string_to_array($${n}, E'\\x1f')::${type}[]`
const upsert = `
  INSERT INTO bench_floor (series_id, date, amount, currency, connection_id, revision)
  SELECT * FROM unnest(${array(1, 'integer')}, ${array(2, 'date')}, ${array(3, 'numeric')}, ${array(4, 'text')},
                       ${array(5, 'text')}, ${array(6, 'bigint')})
  ON CONFLICT (series_id, date) DO UPDATE
    SET amount = excluded.amount, currency = excluded.currency, connection_id = excluded.connection_id,
        revision = excluded.revision`

export class RawUpsert {
  readonly #pool: Pool
  #revision = 0

  constructor(databaseUrl: string, connections: number) {
    this.#pool = new Pool({ connectionString: databaseUrl, max: connections })
  }

  async prepare(): Promise<void> {
    await this.#pool.query('DROP TABLE IF EXISTS bench_floor; CREATE TABLE bench_floor (LIKE cell INCLUDING ALL)')
    await this.#pool.query('ALTER TABLE bench_floor SET (fillfactor = 50)')
  }

  /** Writes one price for each room and date. */
  async price(rooms: readonly number[], dates: readonly string[], amount: string): Promise<void> {
    const revision = ++this.#revision
    const cells = rooms.flatMap((room) => dates.map((date) => ({ room, date })))
    const column = (value: (cell: { room: number; date: string }) => string | number): string =>
      cells.map(value).join(SEPARATOR)
    const values = [
      column(({ room }) => room),
      column(({ date }) => date),
      column(() => amount),
      column(() => 'EUR'),
      column(() => 'con_0193f5f0-1111-7000-8000-000000000001'),
      column(() => revision),
    ]
    await this.#pool.query({ name: 'floor', text: upsert, values })
  }

  async close(): Promise<void> {
    await this.#pool.query('DROP TABLE bench_floor')
    await this.#pool.end()
  }
}
