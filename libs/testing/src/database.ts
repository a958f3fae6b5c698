import { randomBytes } from 'node:crypto'
import { Client } from 'pg'

/** A database for one test. */
export interface TestDatabase {
  /** URL of an administrator, who owns the migrated tables. */
  url: string
  /** URL of the role that a service runs as; pass its name to `migrate`. */
  serviceUrl: string
  serviceRole: string
  /** Runs a statement as the administrator, in a session of its own. */
  query: <T extends object>(text: string, values?: unknown[]) => Promise<T[]>
  /** Ends its sessions and removes it. */
  drop: () => Promise<void>
}

async function queryAt<T extends object>(url: string, text: string, values: unknown[] = []): Promise<T[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<T>(text, values).finally(() => client.end())
  return rows
}

const asAdministrator = (statement: string): Promise<object[]> => queryAt(administratorUrl(), statement)

function administratorUrl(): string {
  const url = process.env.DATABASE_URL
  if (!url) throw new Error('DATABASE_URL must name a PostgreSQL superuser; `npm test` sets it')
  return url
}

/** Creates an empty database with a random name, and a role for its service, on the PostgreSQL of `DATABASE_URL`. */
export async function createDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`
  await asAdministrator(`CREATE DATABASE ${name}`)
  await asAdministrator(`CREATE ROLE ${name} LOGIN PASSWORD '${name}'`)
  const url = new URL(administratorUrl())
  url.pathname = `/${name}`
  const service = new URL(url)
  service.username = name
  service.password = name
  return {
    url: url.href,
    serviceUrl: service.href,
    serviceRole: name,
    query: (text, values) => queryAt(url.href, text, values),
    drop: () => drop(name),
  }
}

async function drop(name: string): Promise<void> {
  await asAdministrator(`DROP DATABASE ${name} WITH (FORCE)`)
  await asAdministrator(`DROP ROLE ${name}`)
}
