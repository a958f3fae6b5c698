import { TIMELINE_DAYS } from '@connectivity/contracts/timeline'
import { createPartitions, dropPartitions } from '@connectivity/database/partitions'
import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * Every stamp that a reservation had on a connection. `recorded_at` is the beginning of the transaction that wrote it:
 * until then the reservation had its earlier stamp.
 */
const stampTable = `
  CREATE TABLE reservation_stamp (
    connection_id text NOT NULL,
    reservation_id text NOT NULL,
    stamp bigint NOT NULL,
    recorded_at timestamptz(3) NOT NULL DEFAULT now(),
    day date NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')::date,
    kind text NOT NULL CHECK (kind IN ('stamped', 'problem', 'mended', 'redelivered')),
    changes text,
    PRIMARY KEY (connection_id, reservation_id, stamp, day)
  ) PARTITION BY RANGE (day)`

/** Timelines of reservations, in a partition for each week. */
export class ReservationStamps1796300000000 implements MigrationInterface {
  static readonly compatibleSince = '0.1.0'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(stampTable)
    await createPartitions(runner, { table: 'reservation_stamp', daysEach: 7, daysKept: TIMELINE_DAYS })
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropPartitions(runner, { table: 'reservation_stamp' })
  }
}
