// One database per service with two roles: its owner, which migrates, and the one that the service runs as. No role may
// enter another's database.
import pg from 'pg'

/** Runs `work` in a session of its own at this URL. */
export async function withClient(url, work) {
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
export const canConnect = (url) => withClient(url, () => true).catch(() => false)

const exists = async (client, sql, name) => (await client.query(sql, [name])).rowCount > 0

/** Name of the role that the service of a database runs as; the owner is named as the database. */
export const runtimeRole = (database) => `${database}_runtime`

async function prepareRole(client, name, password) {
  const known = await exists(client, 'SELECT 1 FROM pg_roles WHERE rolname = $1', name)
  const role = client.escapeIdentifier(name)
  await client.query(`${known ? 'ALTER' : 'CREATE'} ROLE ${role} LOGIN PASSWORD ${client.escapeLiteral(password)}`)
  return role
}

async function prepareOne(client, name, { owner, runtime }) {
  const role = await prepareRole(client, name, owner)
  const service = await prepareRole(client, runtimeRole(name), runtime)
  if (!(await exists(client, 'SELECT 1 FROM pg_database WHERE datname = $1', name))) {
    await client.query(`CREATE DATABASE ${role} OWNER ${role}`)
  }
  await client.query(`REVOKE ALL ON DATABASE ${role} FROM PUBLIC`)
  await client.query(`GRANT CONNECT ON DATABASE ${role} TO ${service}`)
}

function urlOf(adminUrl, database, role, password) {
  const url = new URL(adminUrl)
  url.username = role
  url.password = password
  url.pathname = `/${database}`
  return url.href
}

/**
 * Creates what is missing.
 * @param {string} adminUrl URL of an administrator of the server
 * @param {Record<string, { owner: string, runtime: string }>} passwords of the roles of each database
 * @returns {Promise<{ databaseUrls: Record<string, string>, ownerUrls: Record<string, string> }>} by database, the URL of
 *   the role that its service runs as, and that of its owner
 */
export async function prepareDatabases(adminUrl, passwords) {
  await withClient(adminUrl, async (client) => {
    for (const [name, words] of Object.entries(passwords)) await prepareOne(client, name, words)
    await client.query('REVOKE CONNECT ON DATABASE postgres FROM PUBLIC')
  })
  const urls = (toUrl) =>
    Object.fromEntries(Object.entries(passwords).map(([name, words]) => [name, toUrl(name, words)]))
  return {
    databaseUrls: urls((name, { runtime }) => urlOf(adminUrl, name, runtimeRole(name), runtime)),
    ownerUrls: urls((name, { owner }) => urlOf(adminUrl, name, name, owner)),
  }
}
