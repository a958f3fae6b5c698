import 'reflect-metadata'
import { migrateConfiguredDatabase } from '@connectivity/database/migrate'
import { Gateway1763700000000 } from './migrations/1763700000000-gateway.js'

await migrateConfiguredDatabase([Gateway1763700000000])
