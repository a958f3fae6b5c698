import 'reflect-metadata'
import { migrateConfiguredDatabase } from '@connectivity/database/migrate'
import { appendOnly, migrations } from './migrations/migrations.js'

await migrateConfiguredDatabase(migrations, appendOnly)
