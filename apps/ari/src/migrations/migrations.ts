import { Ari1795000000000 } from './1795000000000-ari.js'

/** Every migration of the ARI service's database, oldest first. */
export const migrations = [Ari1795000000000]
