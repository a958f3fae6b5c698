// One database and one role per service; no role may enter another's database.
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

async function prepareOne(client, name, password) {
  const role = client.escapeIdentifier(name)
  const known = await exists(client, 'SELECT 1 FROM pg_roles WHERE rolname = $1', name)
  await client.query(`${known ? 'ALTER' : 'CREATE'} ROLE ${role} LOGIN PASSWORD ${client.escapeLiteral(password)}`)
  if (!(await exists(client, 'SELECT 1 FROM pg_database WHERE datname = $1', name))) {
    await client.query(`CREATE DATABASE ${role} OWNER ${role}`)
  }
  await client.query(`REVOKE ALL ON DATABASE ${role} FROM PUBLIC`)
}

function urlOf(adminUrl, name, password) {
  const url = new URL(adminUrl)
  url.username = name
  url.password = password
  url.pathname = `/${name}`
  return url.href
}

/**
 * Creates what is missing.
 * @param {string} adminUrl URL of an administrator of the server
 * @param {Record<string, string>} passwords database (= role) name to password
 * @returns {Promise<Record<string, string>>} database name to the URL of its role
 */
export async function prepareDatabases(adminUrl, passwords) {
  await withClient(adminUrl, async (client) => {
    for (const [name, password] of Object.entries(passwords)) await prepareOne(client, name, password)
    await client.query('REVOKE CONNECT ON DATABASE postgres FROM PUBLIC')
  })
  return Object.fromEntries(Object.entries(passwords).map(([name, word]) => [name, urlOf(adminUrl, name, word)]))
}
