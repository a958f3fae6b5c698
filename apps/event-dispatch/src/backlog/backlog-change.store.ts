import { Injectable } from '@nestjs/common'
import type { ReplayChoice } from '@connectivity/contracts/mutation-rules'
import { reservationEventTypes } from '@connectivity/contracts/reservation-events'
import { bulkColumn, bulkValue, type Database, queryRows, type Transaction } from '@connectivity/database'
import { BACKLOG_CHANGED } from './backlog-signals.js'

/** Maximum deliveries or lanes per transaction; bounds how long the callback stays locked. */
export const PIECE = 1_000
/** Pieces of a connection that may wait when another replay is planned. */
const MOST_PIECES = 100
/** Pause between two pieces of one connection, ms. Longer than delivery results wait for a locked callback. */
const REST = 25

/** A pending change of one connection's backlog. */
export interface BacklogChange {
  changeId: string
  connectionId: string
  kind: 'end' | 'release' | 'replay'
  /** Last sequence to end; only for `end`. */
  lastSequence: string | null
  /** Sequences to deliver again; only for `replay`. */
  sequences: string[] | null
}

/**
 * SQL condition on the callback `c`: deliveries of its deleted predecessor are still being ended. Nothing goes to `c`
 * until then.
 */
export const IS_BEING_ENDED =
  "EXISTS (SELECT FROM backlog_change b WHERE b.connection_id = c.connection_id AND b.kind = 'end')"

const TAKE = `
  SELECT change_id, connection_id, kind, last_sequence, sequences FROM backlog_change b
   WHERE due_at <= clock_timestamp()
     AND NOT EXISTS (SELECT FROM backlog_change o WHERE o.connection_id = b.connection_id AND o.change_id < b.change_id)
   ORDER BY connection_id <= $1, connection_id LIMIT 1 FOR UPDATE SKIP LOCKED`

/** Keeps the events of one reservation together in one piece, so that no new event gets between them. */
const plan = (selected: string): string => `
  WITH chosen AS (
    SELECT d.sequence, min(d.sequence) OVER (PARTITION BY d.reservation_id) AS first
      FROM delivery d JOIN callback c USING (connection_id)
     WHERE d.connection_id = $1 AND ${selected}
       AND (${bulkColumn(3, 'text')} <@ c.events OR EXISTS (
         SELECT FROM event e
          WHERE e.connection_id = d.connection_id AND e.sequence = d.sequence AND e.type = ANY (c.events)))),
  placed AS (SELECT sequence, first, row_number() OVER (ORDER BY first, sequence) AS place FROM chosen),
  pieces AS (SELECT sequence, (min(place) OVER (PARTITION BY first) - 1) / ${PIECE} AS piece FROM placed)
  INSERT INTO backlog_change (connection_id, kind, replay_id, sequences)
  SELECT $1, 'replay', $2, array_agg(sequence) FROM pieces GROUP BY piece ORDER BY piece
  RETURNING cardinality(sequences)`

const PLAN_BY_ID = plan(
  `d.sequence IN (SELECT sequence FROM event WHERE connection_id = $1 AND event_id = ANY (${bulkColumn(4, 'text')}))`,
)
const PLAN_BY_RANGE = plan('d.sequence BETWEEN $4 AND $5')

/** Pending changes of callback backlogs. Their extent is fixed when they are requested. */
@Injectable()
export class BacklogChangeStore {
  /**
   * Fixes which events are delivered again, without event types that the callback does not subscribe to.
   * @returns number of events
   */
  async planReplay(tx: Transaction, connectionId: string, replayId: string, choice: ReplayChoice): Promise<number> {
    const chosen =
      'eventIds' in choice
        ? { name: 'backlog-plan-by-id', text: PLAN_BY_ID, values: [bulkValue(choice.eventIds)] }
        : { name: 'backlog-plan-by-range', text: PLAN_BY_RANGE, values: [choice.from, choice.to] }
    const values = [connectionId, replayId, bulkValue(reservationEventTypes), ...chosen.values]
    const sizes = await queryRows<[number]>(tx, { ...chosen, values })
    tx.afterCommit(BACKLOG_CHANGED)
    return sizes.reduce((sum, [size]) => sum + size, 0)
  }

  /** Whether so many pieces of earlier replays wait that no other may be planned. */
  async isCrowded(tx: Transaction, connectionId: string): Promise<boolean> {
    const rows = await queryRows<[boolean]>(tx, {
      name: 'backlog-crowded',
      text: `SELECT count(*) > ${MOST_PIECES} FROM (
               SELECT FROM backlog_change WHERE connection_id = $1 LIMIT ${MOST_PIECES + 1}) waiting`,
      values: [connectionId],
    })
    return rows[0]![0]
  }

  /**
   * Locks the oldest change of a connection, and its callback, for this transaction. Other processes can take those of
   * other connections at the same time.
   * @param after the connection served last; the search starts after it
   */
  async take(tx: Transaction, after: string): Promise<BacklogChange | null> {
    type Row = [string, string, BacklogChange['kind'], string | null, string[] | null]
    const rows = await queryRows<Row>(tx, { name: 'backlog-take', text: TAKE, values: [after] })
    const changes = rows.map(([changeId, connectionId, kind, lastSequence, sequences]) => ({
      ...{ changeId, connectionId, kind, lastSequence, sequences },
    }))
    const change = changes[0] ?? null
    if (change) await tx.query('SELECT FROM callback WHERE connection_id = $1 FOR NO KEY UPDATE', [change.connectionId])
    return change
  }

  /** Delays the connection's next piece by the pause; deletes the change if it is done. */
  async put(tx: Transaction, { changeId, connectionId }: BacklogChange, isDone: boolean): Promise<void> {
    if (isDone) await tx.query('DELETE FROM backlog_change WHERE change_id = $1', [changeId])
    await tx.query({
      name: 'backlog-rest',
      text: `UPDATE backlog_change SET due_at = clock_timestamp() + interval '${REST} ms'
              WHERE change_id = (SELECT min(change_id) FROM backlog_change WHERE connection_id = $1)`,
      values: [connectionId],
    })
  }

  /** Whether changes of a replay are pending; null: any changes. */
  async isLeft(database: Database, replayId: string | null): Promise<boolean> {
    const rows = await queryRows<[boolean]>(database, {
      text: 'SELECT EXISTS (SELECT FROM backlog_change WHERE $1::text IS NULL OR replay_id = $1)',
      values: [replayId],
    })
    return rows[0]![0]
  }
}
