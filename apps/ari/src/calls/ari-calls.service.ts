import { Injectable } from '@nestjs/common'
import type { AriWritten } from '@connectivity/contracts/ari'
import { Database, type Transaction } from '@connectivity/database'
import { type Answer, answerOnce } from '@connectivity/mutations'
import { AriWriter } from '../writing/ari-writer.service.js'
import { type Call, isSmall } from '../writing/call.js'
import { CallGroups } from './call-groups.service.js'
import { PropertyTurns } from './property-turns.service.js'
import { WriterPlaces } from './writer-places.service.js'

/** Answers calls: small ones in groups, large ones alone. A connection's calls are applied in the order of arrival. */
@Injectable()
export class AriCalls {
  constructor(
    private readonly database: Database,
    private readonly groups: CallGroups,
    private readonly turns: PropertyTurns,
    private readonly places: WriterPlaces,
    private readonly writer: AriWriter,
  ) {}

  /** @throws ServiceError 503 `service_unavailable` while too many calls wait for the property; see `answerOnce` */
  async apply(call: Call): Promise<Answer & { replayed: boolean }> {
    const { catalog, body, mutation } = call
    if (isSmall(body)) return this.groups.apply(call)
    return this.alone(call, (deadline) => {
      const write = (tx: Transaction) => this.writer.write(tx, catalog, body, deadline)
      return answerOnce(this.database, mutation, async (tx) => answerWith(await write(tx)))
    })
  }

  /** @throws ServiceError 422 with every fault, 503 as `apply` */
  dryRun(call: Call): Promise<Answer & { replayed: boolean; isStored: boolean }> {
    return this.alone(call, async () => {
      const counted = await this.database.transaction((tx) => this.writer.dryRun(tx, call.catalog, call.body))
      return { ...answerWith(counted), replayed: false, isStored: false }
    })
  }

  private alone<T>({ catalog, mutation }: Call, work: (deadline: number) => Promise<T>): Promise<T> {
    const { propertyId, connectionId } = catalog
    this.groups.close(connectionId)
    return this.turns.take(propertyId, connectionId, (deadline) =>
      this.places.take(mutation.applicationId, deadline, () => work(deadline)),
    )
  }
}

const answerWith = (written: AriWritten): Answer => ({ status: 200, headers: {}, body: JSON.stringify(written) })
