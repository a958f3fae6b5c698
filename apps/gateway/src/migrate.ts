import 'reflect-metadata'
import { migrateConfiguredDatabase } from '@connectivity/database/migrate'
import { migrations } from './migrations/migrations.js'

await migrateConfiguredDatabase(migrations)
