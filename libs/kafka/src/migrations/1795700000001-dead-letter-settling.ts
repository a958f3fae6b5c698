interface Runner {
  query(statement: string): Promise<unknown>
}

/**
 * Time at which an operator settled a dead letter, null if a release without it did. List it with the migrations of
 * every service that consumes.
 */
export class DeadLetterSettling1795700000001 {
  readonly name = 'DeadLetterSettling1795700000001'

  async up(runner: Runner): Promise<void> {
    await runner.query('ALTER TABLE dead_letter ADD COLUMN settled_at timestamptz')
    await runner.query(`CREATE INDEX dead_letter_settled ON dead_letter (settled_at) WHERE state <> 'open'`)
    await runner.query('CREATE INDEX outbox_dead_letter ON outbox (dead_letter_id) WHERE dead_letter_id IS NOT NULL')
  }

  async down(runner: Runner): Promise<void> {
    await runner.query('DROP INDEX dead_letter_settled, outbox_dead_letter')
    await runner.query('ALTER TABLE dead_letter DROP COLUMN settled_at')
  }
}
