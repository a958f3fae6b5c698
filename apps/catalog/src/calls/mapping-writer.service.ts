import { Injectable } from '@nestjs/common'
import { ConnectionStore } from '@connectivity/connections'
import { ServiceError } from '@connectivity/contracts/errors'
import type { MappingsWrite, MappingsWritten } from '@connectivity/contracts/mappings'
import { checkNamedOnce } from '@connectivity/contracts/mutation-rules'
import type { Transaction } from '@connectivity/database'
import { CatalogVersionStore } from '../catalogs/catalog-version.store.js'
import { CatalogTooLarge } from '../catalogs/catalog.publisher.js'
import { ConnectionCatalogs } from '../catalogs/connection-catalogs.service.js'
import { PropertyStore } from '../properties/property.store.js'
import { mappingList } from '../mappings/mapping-list.view.js'
import { changesOf, effectOf, type MappingEffect } from '../mappings/mapping-rules.js'
import { notArrived } from '../intake/connection-arrival.service.js'
import { MappingStore } from '../mappings/mapping.store.js'

interface Written {
  answer: MappingsWritten
  catalogVersion: number
  effect: MappingEffect
}

/** Changes a connection's ids for the rooms and rate plans of its property: all of them or none. */
@Injectable()
export class MappingWriter {
  constructor(
    private readonly connections: ConnectionStore,
    private readonly properties: PropertyStore,
    private readonly mappings: MappingStore,
    private readonly versions: CatalogVersionStore,
    private readonly catalogs: ConnectionCatalogs,
  ) {}

  /**
   * @param by caller; partners may write only their sandbox connections
   * @returns the answer with the version of the catalog that it shows, and the change for the audit
   * @throws ServiceError 400 `invalid_request` if the ids make the catalog too large, 403 `mapping_write_forbidden`,
   * 404 `entity_not_found`, 409 `version_conflict` or `mapping_conflict`, 503 when the connection has not reached the
   * catalog yet
   */
  async write(
    tx: Transaction,
    connectionId: string,
    by: 'partner' | 'operator',
    body: MappingsWrite,
  ): Promise<Written> {
    checkNamedOnce(body.mappings)
    const connection = (await this.connections.find(tx, [connectionId])).get(connectionId)
    if (!connection) throw notArrived()
    if (by === 'partner' && connection.environment === 'production') throw writeForbidden()
    const property = (await this.properties.lock(tx, [connection.property_id])).get(connection.property_id) ?? null
    const before = await this.mappings.state(tx, connectionId)
    checkVersion(body.expected_version, before.mappingVersion)
    const change = changesOf(body.mappings, before.mappings, property)
    const changed = change.set.length + change.unset.length
    if (changed > 0) {
      await this.mappings.apply(tx, connectionId, change)
      await this.versions.raiseMapping(tx, [connectionId])
      if (property) await this.catalogs.publish(tx, [connection], [property]).catch(refuseTooLarge)
    }
    const after = await this.mappings.state(tx, connectionId)
    const list = mappingList({ connectionId, externalPropertyId: connection.external_property_id, ...after })
    const effect = effectOf(change, before.mappings)
    return { answer: { ...list, changed }, catalogVersion: after.catalogVersion, effect }
  }
}

/** 403: partners may write only their sandbox connections. */
export const writeForbidden = (): ServiceError =>
  new ServiceError(
    'mapping_write_forbidden',
    'Mappings of production connections are provisioned by operations; send them your change.',
  )

/** @throws ServiceError 400 `invalid_request` in place of `CatalogTooLarge` */
function refuseTooLarge(error: unknown): never {
  if (!(error instanceof CatalogTooLarge)) throw error
  const message = 'With these ids the catalog of the property is too large to be published; choose shorter ids.'
  throw new ServiceError('invalid_request', message, {
    details: [{ pointer: '/mappings', code: 'invalid_value', message }],
  })
}

/** @throws ServiceError 409 `version_conflict` */
export function checkVersion(expected: number | undefined, current: number): void {
  if (expected === undefined || expected === current) return
  const message = `The mapping is at version ${current}, not ${expected}; read it again and repeat your change.`
  throw new ServiceError('version_conflict', message, {
    details: [{ pointer: '/expected_version', code: 'version_conflict', message }],
  })
}
