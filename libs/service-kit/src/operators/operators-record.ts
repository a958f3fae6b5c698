import { ServiceError } from '@connectivity/contracts/errors'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'

/** Turns a record of the operators' interface into an answer. */
export const withSchemaVersion = (record: object): object => ({ schema_version: SCHEMA_VERSION, ...record })

/**
 * 404 for an unknown id.
 * @param what kind of record, such as `connection`
 */
export const notFound = (what: string): ServiceError =>
  new ServiceError('not_found', `There is no ${what} with this id; look it up in the list.`)
