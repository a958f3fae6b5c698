// SQLite for the pull client: the one of Node 22.13 and later, or on Node 20 the package node-sqlite3-wasm.
import { rmSync } from 'node:fs'

/**
 * Opens a database file for this process alone.
 * @returns {Promise<import('node:sqlite').DatabaseSync>}
 */
export async function openDatabase(file) {
  const builtIn = await import('node:sqlite').catch(() => null)
  return builtIn ? new builtIn.DatabaseSync(file) : openWithPackage(file)
}

async function openWithPackage(file) {
  const { default: sqlite } = await import('node-sqlite3-wasm')
  // The package locks with a folder, which stays when a process is killed.
  rmSync(`${file}.lock`, { recursive: true, force: true })
  const database = new sqlite.Database(file)
  const prepare = (sql) => {
    const statement = database.prepare(sql)
    return {
      run: (...values) => statement.run(values),
      get: (...values) => statement.get(values) ?? undefined,
      all: (...values) => statement.all(values),
    }
  }
  return { exec: (sql) => database.exec(sql), prepare, close: () => database.close() }
}
