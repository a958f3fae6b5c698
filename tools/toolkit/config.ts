// Places and environment of tools, and of the processes that they start.
import { join } from 'node:path'

/** The repository's root folder. */
export const root = join(import.meta.dirname, '../..')

/** JAVA_HOME: the JDK for tools; without it its programs are looked up in PATH. */
export const javaHome = process.env.JAVA_HOME || undefined

/**
 * BARMAN_CLOUD: folder with Barman's `barman-cloud-…` programs, usually `bin` of a Python virtual environment.
 * `npm run restore:prove` runs them without root's rights: every user must be able to read the folder and run its
 * programs.
 */
export const barmanFolder = process.env.BARMAN_CLOUD || undefined

/** The environment of this process, with more or other keys. */
export const environmentWith = (more: Record<string, string>): NodeJS.ProcessEnv => ({ ...process.env, ...more })

/** The environment of a stack that shares nothing with the PostgreSQL, Redis and Kafka of this process. */
export function ownStackEnvironment(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { DATABASE_URL: _1, REDIS_URL: _2, KAFKA_BROKERS: _3, KAFKA_TOPIC_PREFIX: _4, ...env } = process.env
  return { ...env, NODE_OPTIONS: '', ...more }
}

/** The environment variable that the starting process has set. */
export function given(key: string): string {
  const value = process.env[key]
  if (value === undefined) throw new Error(`${key} is not set: run the tool that starts this program`)
  return value
}
