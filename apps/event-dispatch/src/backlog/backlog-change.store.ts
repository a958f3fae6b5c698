import { Injectable } from '@nestjs/common'
import { announceOnCommit, type Database, type Transaction } from '@connectivity/database/database'
import { queryRows } from '@connectivity/database/query-rows'
import { BACKLOG_CHANGED } from './announcements.js'

/** Deliveries or lanes changed in one transaction: nothing that needs the callback waits for more. */
export const PIECE = 1_000
/** Pause between two pieces of one connection: longer than results of deliveries wait for a locked callback, ms. */
const REST = 25

/** What is to be done next to one connection's backlog. */
export interface BacklogChange {
  changeId: string
  connectionId: string
  kind: 'end' | 'release' | 'replay'
  /** Of an end. */
  lastSequence: string | null
  /** Of a replay. */
  sequences: string[] | null
}

const TAKE = `
  SELECT change_id, connection_id, kind, last_sequence, sequences FROM backlog_change b
   WHERE due_at <= clock_timestamp()
     AND NOT EXISTS (SELECT FROM backlog_change o WHERE o.connection_id = b.connection_id AND o.change_id < b.change_id)
   ORDER BY connection_id <= $1, connection_id LIMIT 1 FOR UPDATE SKIP LOCKED`

/** Events of one reservation come one after the other, in one piece, so that nothing new gets between them. */
const plan = (selected: string): string => `
  WITH chosen AS (
    SELECT d.sequence, min(d.sequence) OVER (PARTITION BY d.reservation_id) AS first
      FROM delivery d JOIN callback c USING (connection_id)
     WHERE d.connection_id = $1 AND ${selected}
       AND ($3 <@ c.events OR EXISTS (
         SELECT FROM event e
          WHERE e.connection_id = d.connection_id AND e.sequence = d.sequence AND e.type = ANY (c.events)))),
  placed AS (SELECT sequence, first, row_number() OVER (ORDER BY first, sequence) AS place FROM chosen),
  pieces AS (SELECT sequence, (min(place) OVER (PARTITION BY first) - 1) / ${PIECE} AS piece FROM placed)
  INSERT INTO backlog_change (connection_id, kind, replay_id, sequences)
  SELECT $1, 'replay', $2, array_agg(sequence) FROM pieces GROUP BY piece ORDER BY piece
  RETURNING cardinality(sequences)`

const PLAN_BY_ID = plan(
  'd.sequence IN (SELECT sequence FROM event WHERE connection_id = $1 AND event_id IN (SELECT json_array_elements_text($4)))',
)
const PLAN_BY_RANGE = plan('d.sequence BETWEEN $4 AND $5')

/** Which events are to be delivered again. */
export type ReplaySelection = { eventIds: readonly string[] } | { from: number; to: number }

/** What is left to be done to the backlogs of callbacks, fixed when it is asked for. */
@Injectable()
export class BacklogChangeStore {
  /**
   * Fixes which events are delivered again; those of a type that the callback does not take are left out.
   * @param types all that there are
   * @returns how many
   */
  async planReplay(
    tx: Transaction,
    connectionId: string,
    replayId: string,
    selection: ReplaySelection,
    types: readonly string[],
  ): Promise<number> {
    const chosen =
      'eventIds' in selection
        ? { name: 'backlog-plan-by-id', text: PLAN_BY_ID, values: [JSON.stringify(selection.eventIds)] }
        : { name: 'backlog-plan-by-range', text: PLAN_BY_RANGE, values: [selection.from, selection.to] }
    const values = [connectionId, replayId, types, ...chosen.values]
    const sizes = await queryRows<[number]>(tx, { ...chosen, values })
    announceOnCommit(tx, BACKLOG_CHANGED)
    return sizes.reduce((sum, [size]) => sum + size, 0)
  }

  /**
   * Takes the oldest change of a connection for this transaction, with its callback locked; other processes take those of
   * others meanwhile.
   * @param after the connection served last: the one behind it is next
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

  /** Lets the callback rest before its next piece; a change that is done is forgotten. */
  async put(tx: Transaction, { changeId, connectionId }: BacklogChange, isDone: boolean): Promise<void> {
    if (isDone) await tx.query('DELETE FROM backlog_change WHERE change_id = $1', [changeId])
    await tx.query({
      name: 'backlog-rest',
      text: `UPDATE backlog_change SET due_at = clock_timestamp() + interval '${REST} ms'
              WHERE change_id = (SELECT min(change_id) FROM backlog_change WHERE connection_id = $1)`,
      values: [connectionId],
    })
  }

  /** Whether anything is left: of one replay, or at all. */
  async isLeft(database: Database, replayId: string | null): Promise<boolean> {
    const rows = await queryRows<[boolean]>(database.reads, {
      text: 'SELECT EXISTS (SELECT FROM backlog_change WHERE $1::text IS NULL OR replay_id = $1)',
      values: [replayId],
    })
    return rows[0]![0]
  }
}
