interface Runner {
  query(statement: string): Promise<unknown>
}

/** The id of a dead letter for operators: a UUIDv7, so that ids of all services sort by time. */
const newPublicId = `'dl_' || lpad(to_hex(floor(extract(epoch FROM now()) * 1000)::bigint), 12, '0')
  || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14)`

/** Ids and indexes for operators' work on dead letters. List it with the migrations of every service that consumes. */
export class DeadLetterIds1795500000000 {
  readonly name = 'DeadLetterIds1795500000000'

  async up(runner: Runner): Promise<void> {
    await runner.query(`ALTER TABLE dead_letter ADD COLUMN public_id text NOT NULL UNIQUE DEFAULT ${newPublicId}`)
    await runner.query('CREATE INDEX dead_letter_list ON dead_letter (state, public_id)')
    await runner.query(`CREATE INDEX dead_letter_open ON dead_letter (key) WHERE state = 'open'`)
  }

  async down(runner: Runner): Promise<void> {
    await runner.query('DROP INDEX dead_letter_list, dead_letter_open')
    await runner.query('ALTER TABLE dead_letter DROP COLUMN public_id')
  }
}
