/**
 * Version of a connection's catalog. In the catalog's answers: the one that the answer shows. In requests to ARI: the
 * latest one that the gateway has shown to the connection.
 */
export const CATALOG_VERSION_HEADER = 'x-internal-catalog-version'

/** Path at which ARI tells the gateway by which catalog it judges calls, behind `/internal` or `OPERATORS_PATH`. */
export const APPLIED_CATALOG_PATH = '/applied-catalog'

/** Answer of ARI. */
export interface AppliedCatalog {
  /** Version of the connection's catalog; 0 before the first one has arrived. */
  catalog_version: number
}
