export { migrate, migrateConfiguredDatabase } from './migrate.js'
