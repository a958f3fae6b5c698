import type { MigrationInterface, QueryRunner } from 'typeorm'

const steps = [
  // What is left to do to the deliveries that wait for a callback, in pieces; those of a connection in the order of their
  // ids. end: what waited up to last_sequence when its callback was deleted. release: lanes that wait for an attempt after
  // one before their callback's released_at. replay: the deliveries of these sequences, of one reservation never in two
  // pieces.
  `CREATE TABLE backlog_change (
    change_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    connection_id text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('end', 'release', 'replay')),
    last_sequence bigint,
    replay_id text,
    sequences bigint[],
    due_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX backlog_change_order ON backlog_change (connection_id, change_id)`,
  `CREATE INDEX backlog_change_end ON backlog_change (connection_id) WHERE kind = 'end'`,
  `CREATE INDEX backlog_change_replay ON backlog_change (replay_id) WHERE kind = 'replay'`,
]

/** Backlogs of any size are changed in pieces. */
export class BacklogChanges1795800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const step of steps) await runner.query(step)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE backlog_change')
  }
}
