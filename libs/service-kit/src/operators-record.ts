import { ServiceError } from '@connectivity/contracts/errors'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'

/** Whether a text can be one of our ids at all; what cannot is unknown without asking the database. */
export const isId = (text: string): boolean => /^[a-z]{2,8}_[A-Za-z0-9]{1,64}$/.test(text)

/** One record of the operators' interface as an answer. */
export const withSchemaVersion = (record: object): object => ({ schema_version: SCHEMA_VERSION, ...record })

/**
 * 404 for an id that leads to nothing.
 * @param what the kind of record, such as `connection`
 */
export const notFound = (what: string): ServiceError =>
  new ServiceError('not_found', `There is no ${what} with this id; look it up in the list.`)
