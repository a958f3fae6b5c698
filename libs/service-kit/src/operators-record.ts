import { ServiceError } from '@connectivity/contracts/errors'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'

/** Whether a text has the form of our ids; any other is unknown without a database query. */
export const isId = (text: string): boolean => /^[a-z]{2,8}_[A-Za-z0-9]{1,64}$/.test(text)

/** Turns a record of the operators' interface into an answer. */
export const withSchemaVersion = (record: object): object => ({ schema_version: SCHEMA_VERSION, ...record })

/**
 * 404 for an unknown id.
 * @param what the kind of record, such as `connection`
 */
export const notFound = (what: string): ServiceError =>
  new ServiceError('not_found', `There is no ${what} with this id; look it up in the list.`)
