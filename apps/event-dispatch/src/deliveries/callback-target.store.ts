import { Injectable } from '@nestjs/common'
import { Database } from '@connectivity/database/database'
import { CallbackSecrets, type SealedSecrets, type SigningKey } from '../callbacks/callback-secrets.js'

/** Where and how events go to one callback. */
export interface CallbackTarget {
  revision: string
  url: string
  payload: 'full' | 'thin'
  keys: readonly SigningKey[]
}

type Row = Omit<CallbackTarget, 'keys'> & SealedSecrets

/** What is sent to the callbacks of this process, opened once for each revision. */
@Injectable()
export class CallbackTargets {
  private readonly targets = new Map<string, CallbackTarget>()

  constructor(
    private readonly database: Database,
    private readonly secrets: CallbackSecrets,
  ) {}

  get(connectionId: string): CallbackTarget | undefined {
    return this.targets.get(connectionId)
  }

  forget(connectionId: string): void {
    this.targets.delete(connectionId)
  }

  /** Reads those whose revision is another one than known. @param revisions by connection */
  async refresh(revisions: ReadonlyMap<string, string>): Promise<void> {
    const changed = [...revisions].filter(([id, revision]) => this.targets.get(id)?.revision !== revision)
    if (changed.length === 0) return
    const { rows } = await this.database.reads.query<Row>({
      name: 'callback-targets',
      text: `SELECT connection_id AS "connectionId", revision, url, payload, secret, previous_secret AS "previousSecret",
                    previous_secret_ends_at AS "previousSecretEndsAt"
               FROM callback WHERE connection_id IN (SELECT json_array_elements_text($1))`,
      values: [JSON.stringify(changed.map(([id]) => id))],
    })
    for (const row of rows) {
      const { connectionId, revision, url, payload } = row
      this.targets.set(connectionId, { revision, url, payload, keys: await this.secrets.open(row) })
    }
  }
}
