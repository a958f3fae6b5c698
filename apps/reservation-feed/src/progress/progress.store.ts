import { Injectable } from '@nestjs/common'
import { bulkColumn, bulkRows, bulkValue, queryRows, type Transaction } from '@connectivity/database'
import type { Progress } from './progress.js'

type ProgressRow = [connectionId: string, servedTo: string, processedTo: string, processedAt: Date | null]

/** Partners' progress by connection; a connection has no row before its first poll. */
@Injectable()
export class ProgressStore {
  /** The stored progress, locked until the transaction ends; in id order, so that two processes cannot deadlock. */
  async lock(tx: Transaction, connectionIds: readonly string[]): Promise<Map<string, Progress>> {
    const rows = await queryRows<ProgressRow>(tx, {
      name: 'progress-lock',
      text: `SELECT connection_id, served_to, processed_to, processed_at FROM feed_progress
              WHERE connection_id = ANY (${bulkColumn(1, 'text')}) ORDER BY connection_id FOR UPDATE`,
      values: [bulkValue(connectionIds)],
    })
    return new Map(
      rows.map(([connectionId, servedTo, processedTo, processedAt]) => [
        connectionId,
        {
          servedTo: Number(servedTo),
          processedTo: Number(processedTo),
          processedAt: processedAt?.getTime() ?? null,
        },
      ]),
    )
  }

  /** Writes the progress of connections; never lowers progress that another process has written. */
  write(tx: Transaction, all: ReadonlyMap<string, Progress>): void {
    const inOrder = [...all].sort(([one], [other]) => (one < other ? -1 : 1))
    tx.defer({
      name: 'progress-write',
      text: `INSERT INTO feed_progress AS p (connection_id, served_to, processed_to, processed_at)
             SELECT connection_id, served_to, processed_to, to_timestamp(processed_at / 1000.0)
               FROM ${bulkRows(['text', 'bigint', 'bigint', 'bigint'])} AS given (connection_id, served_to, processed_to, processed_at)
             ON CONFLICT (connection_id) DO UPDATE
               SET served_to = greatest(p.served_to, excluded.served_to),
                   processed_to = greatest(p.processed_to, excluded.processed_to),
                   processed_at = CASE WHEN excluded.processed_to > p.processed_to THEN excluded.processed_at ELSE p.processed_at END`,
      values: [
        bulkValue(inOrder.map(([connectionId]) => connectionId)),
        bulkValue(inOrder.map(([, { servedTo }]) => servedTo)),
        bulkValue(inOrder.map(([, { processedTo }]) => processedTo)),
        bulkValue(inOrder.map(([, { processedAt }]) => processedAt)),
      ],
    })
  }
}
