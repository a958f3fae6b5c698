// Deploy steps before the services start: migrations of each database, and the topics.
import { join } from 'node:path'
import { kafkaPartitions } from '../bootstrap/config.mjs'
import { command } from '../bootstrap/processes/command.mjs'
import { node } from '../bootstrap/install/install.mjs'
import type { DatabaseUrls } from '../parts/databases.ts'
import type { Recorded } from './build.ts'
import { type Database, type Service, services } from './names.ts'

/** Inputs of the migrations. */
export type Migrations = DatabaseUrls<Database> & Recorded

/** Inputs of the creation of topics. */
export interface Topics extends Recorded {
  brokers: readonly string[]
}

function migrate({ name, database }: Service, context: Migrations): Promise<string> {
  const { databaseUrls, ownerUrls, logDir, onStart } = context
  const urls = { DATABASE_URL: databaseUrls[database], MIGRATION_DATABASE_URL: ownerUrls[database] }
  const env = { NODE_ENV: 'development', ...urls }
  return command(node, [`apps/${name}/dist/migrate.js`], { env, log: join(logDir, `migrate-${name}.log`), onStart })
}

/** Creates the topics that are missing. */
export function createTopics({ brokers, logDir, onStart }: Topics): Promise<string> {
  const env = { NODE_ENV: 'development', KAFKA_BROKERS: brokers.join(','), KAFKA_PARTITIONS: kafkaPartitions }
  return command(node, ['libs/kafka/dist/create-topics.main.js'], { env, log: join(logDir, 'topics.log'), onStart })
}

/** Migrates the five databases. */
export const migrateAll = (context: Migrations): Promise<string[]> =>
  Promise.all(services.map((service) => migrate(service, context)))

/** Migrates the five databases and creates the topics, all at once. */
export const deploySteps = (context: Migrations & Topics): Promise<unknown> =>
  Promise.all([migrateAll(context), createTopics(context)])
