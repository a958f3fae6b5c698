import { Injectable } from '@nestjs/common'
import type { Queryable, Transaction } from '@connectivity/database'
import type { Callback, CallbackChoice } from './callback.js'
import type { SealedSecrets } from '../sending/callback-secrets.service.js'

/** A callback with its sealed secrets. */
export type StoredCallback = Callback & SealedSecrets

const COLUMNS = `connection_id AS "connectionId", url, events, payload, state, suspended_at AS "suspendedAt",
  secret, previous_secret AS "previousSecret", previous_secret_ends_at AS "previousSecretEndsAt"`

/** Callbacks. Every change that affects deliveries raises the revision. */
@Injectable()
export class CallbackStore {
  /** Null when no callback is registered. */
  async find(on: Queryable, connectionId: string): Promise<StoredCallback | null> {
    const { rows } = await on.query<StoredCallback>({
      name: 'callback-find',
      text: `SELECT ${COLUMNS} FROM callback WHERE connection_id = $1`,
      values: [connectionId],
    })
    return rows[0] ?? null
  }

  /** Locks a callback so that the same transaction can change it. */
  async lock(tx: Transaction, connectionId: string): Promise<StoredCallback | null> {
    const { rows } = await tx.query<StoredCallback>({
      name: 'callback-lock',
      text: `SELECT ${COLUMNS} FROM callback WHERE connection_id = $1 FOR UPDATE`,
      values: [connectionId],
    })
    return rows[0] ?? null
  }

  /** @returns null if another transaction added one concurrently */
  async add(tx: Transaction, connectionId: string, choice: CallbackChoice, secret: string): Promise<Callback | null> {
    const { rows } = await tx.query<StoredCallback>({
      name: 'callback-add',
      text: `INSERT INTO callback (connection_id, url, events, payload, secret) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (connection_id) DO NOTHING RETURNING ${COLUMNS}`,
      values: [connectionId, choice.url, choice.events, choice.payload, secret],
    })
    return rows[0] ?? null
  }

  /** Stores the choice and the state of a locked callback. */
  async change(tx: Transaction, { connectionId, url, events, payload, state }: Callback): Promise<Callback> {
    const { rows } = await tx.query<StoredCallback>({
      name: 'callback-change',
      text: `UPDATE callback SET url = $2, events = $3, payload = $4, state = $5, updated_at = now(),
                    suspended_at = CASE WHEN $5 <> 'active' THEN coalesce(suspended_at, now()) END, revision = revision + 1
              WHERE connection_id = $1 RETURNING ${COLUMNS}`,
      values: [connectionId, url, events, payload, state],
    })
    return rows[0]!
  }

  /**
   * Gives a locked callback a new secret. The previous one keeps signing during the overlap and is kept after it for
   * diagnoses; an older one is deleted.
   * @param overlap seconds
   */
  async rotate(tx: Transaction, connectionId: string, secret: string, overlap: number): Promise<Callback> {
    const { rows } = await tx.query<StoredCallback>({
      name: 'callback-rotate',
      text: `UPDATE callback SET previous_secret = secret,
                    previous_secret_ends_at = now() + $3 * interval '1 second', secret = $2, updated_at = now(), revision = revision + 1
              WHERE connection_id = $1 RETURNING ${COLUMNS}`,
      values: [connectionId, secret, overlap],
    })
    return rows[0]!
  }

  /** Deletes the callback, if there is one. */
  async remove(tx: Transaction, connectionId: string): Promise<void> {
    await tx.query({
      name: 'callback-remove',
      text: 'DELETE FROM callback WHERE connection_id = $1',
      values: [connectionId],
    })
  }
}
