import { Inject, Injectable } from '@nestjs/common'
import { bulkColumn, bulkValue, Database } from '@connectivity/database'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { CallbackSecrets, type SealedSecrets, type SigningKey } from '../sending/callback-secrets.service.js'

/** URL, payload and keys of a callback, and the stored state of its breaker. */
export interface DeliveryTarget {
  revision: string
  url: string
  payload: 'full' | 'thin'
  keys: readonly SigningKey[]
  failuresInRow: number
  breakerOpened: number
  /** ms from now, negative if in the past; null while the breaker is closed. */
  breakerOpenFor: number | null
}

type Row = Omit<DeliveryTarget, 'keys'> & SealedSecrets

/** Reads the targets of deliveries. */
@Injectable()
export class DeliveryTargetStore {
  constructor(
    private readonly database: Database,
    private readonly secrets: CallbackSecrets,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** @returns targets by connection; only those that exist and whose secrets can be opened */
  async read(connectionIds: readonly string[]): Promise<Map<string, DeliveryTarget>> {
    if (connectionIds.length === 0) return new Map()
    const { rows } = await this.database.query<Row>({
      name: 'delivery-targets',
      text: `SELECT connection_id AS "connectionId", revision, url, payload, secret, previous_secret AS "previousSecret",
                    previous_secret_ends_at AS "previousSecretEndsAt", failures_in_row AS "failuresInRow",
                    breaker_opened AS "breakerOpened",
                    extract(epoch FROM breaker_open_until - now())::float8 * 1000 AS "breakerOpenFor"
               FROM callback WHERE connection_id = ANY (${bulkColumn(1, 'text')})`,
      values: [bulkValue(connectionIds)],
    })
    const targets = await Promise.all(rows.map((row) => this.opened(row)))
    return new Map(targets.filter((target) => target !== null))
  }

  /** Catches the error, so that a secret that cannot be opened does not affect other callbacks. */
  private async opened(row: Row): Promise<[string, DeliveryTarget] | null> {
    try {
      return [row.connectionId, { ...row, keys: await this.secrets.open(row) }]
    } catch (err) {
      this.log.error({ err, connection_id: row.connectionId }, 'callback secrets cannot be decrypted')
      return null
    }
  }
}
