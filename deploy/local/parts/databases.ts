// One database per service with two roles: its owner, which migrates, and the one that the service runs as. No role may
// enter another's database.
import pg from 'pg'

/** Passwords of the two roles of a database. */
export interface RolePasswords {
  owner: string
  runtime: string
}

/** URLs of databases, by the database's name. */
export interface DatabaseUrls<Name extends string> {
  /** With the role that the service runs as. */
  databaseUrls: Record<Name, string>
  /** With the role that owns the tables. */
  ownerUrls: Record<Name, string>
}

/** Runs `work` in a session of its own at this URL. */
export async function withClient<T>(url: string, work: (client: pg.Client) => T | Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}

/** True when a session can be opened at this URL. */
export const canConnect = (url: string): Promise<boolean> => withClient(url, () => true).catch(() => false)

const exists = async (client: pg.Client, sql: string, name: string): Promise<boolean> =>
  (await client.query(sql, [name])).rows.length > 0

/** Name of the role that the service of a database runs as; the owner is named as the database. */
export const runtimeRole = (database: string): string => `${database}_runtime`

async function prepareRole(client: pg.Client, name: string, password: string): Promise<string> {
  const known = await exists(client, 'SELECT 1 FROM pg_roles WHERE rolname = $1', name)
  const role = client.escapeIdentifier(name)
  await client.query(`${known ? 'ALTER' : 'CREATE'} ROLE ${role} LOGIN PASSWORD ${client.escapeLiteral(password)}`)
  return role
}

async function prepareOne(client: pg.Client, name: string, { owner, runtime }: RolePasswords): Promise<void> {
  const role = await prepareRole(client, name, owner)
  const service = await prepareRole(client, runtimeRole(name), runtime)
  if (!(await exists(client, 'SELECT 1 FROM pg_database WHERE datname = $1', name))) {
    await client.query(`CREATE DATABASE ${role} OWNER ${role}`)
  }
  await client.query(`REVOKE ALL ON DATABASE ${role} FROM PUBLIC`)
  await client.query(`GRANT CONNECT ON DATABASE ${role} TO ${service}`)
}

function urlOf(adminUrl: string, database: string, role: string, password: string): string {
  const url = new URL(adminUrl)
  url.username = role
  url.password = password
  url.pathname = `/${database}`
  return url.href
}

/**
 * Creates the databases and roles that are missing.
 * @param adminUrl URL of an administrator of the server
 * @param passwords of the roles of each database
 */
export async function prepareDatabases<Name extends string>(
  adminUrl: string,
  passwords: Record<Name, RolePasswords>,
): Promise<DatabaseUrls<Name>> {
  const databases = Object.entries<RolePasswords>(passwords)
  await withClient(adminUrl, async (client) => {
    for (const [name, words] of databases) await prepareOne(client, name, words)
    await client.query('REVOKE CONNECT ON DATABASE postgres FROM PUBLIC')
  })
  const urls = (toUrl: (name: string, words: RolePasswords) => string) =>
    Object.fromEntries(databases.map(([name, words]) => [name, toUrl(name, words)])) as Record<Name, string>
  return {
    databaseUrls: urls((name, { runtime }) => urlOf(adminUrl, name, runtimeRole(name), runtime)),
    ownerUrls: urls((name, { owner }) => urlOf(adminUrl, name, name, owner)),
  }
}
