import { Catalog1795000000000 } from './1795000000000-catalog.js'

/** Every migration of the catalog's database, oldest first. */
export const migrations = [Catalog1795000000000]
