// Deploy steps before the services start: migrations of each database, and the topics.
import { join } from 'node:path'
import { kafkaPartitions } from '../config.mjs'
import { command } from '../machine/command.mjs'
import { node } from '../machine/install.mjs'
import { services } from './names.mjs'

function migrate({ name, database }, { databaseUrls, ownerUrls, logDir, onStart }) {
  const urls = { DATABASE_URL: databaseUrls[database], MIGRATION_DATABASE_URL: ownerUrls[database] }
  const env = { NODE_ENV: 'development', ...urls }
  return command(node, [`apps/${name}/dist/migrate.js`], { env, log: join(logDir, `migrate-${name}.log`), onStart })
}

/** Creates the topics that are missing. */
export function createTopics({ brokers, logDir, onStart }) {
  const env = { NODE_ENV: 'development', KAFKA_BROKERS: brokers.join(','), KAFKA_PARTITIONS: kafkaPartitions }
  return command(node, ['libs/kafka/dist/create-topics.main.js'], { env, log: join(logDir, 'topics.log'), onStart })
}

/** Migrates the five databases. */
export const migrateAll = (context) => Promise.all(services.map((service) => migrate(service, context)))

/** Migrates the five databases and creates the topics, all at once. */
export const deploySteps = (context) => Promise.all([migrateAll(context), createTopics(context)])
