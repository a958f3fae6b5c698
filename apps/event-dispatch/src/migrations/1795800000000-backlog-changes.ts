import type { MigrationInterface, QueryRunner } from 'typeorm'

const steps = [
  // Pending changes of waiting deliveries, applied in pieces; those of a connection in the order of their ids.
  // end: ends deliveries up to last_sequence that waited when their callback was deleted. release: makes lanes due that
  // wait since before their callback's released_at. replay: delivers these sequences again; the events of one
  // reservation are never in two pieces.
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
