import type { DataSource } from 'typeorm'

/** The role that a service runs as, and the tables that it may only append to. */
export interface RuntimeAccess {
  role: string
  appendOnly: readonly string[]
}

/** Table of applied migrations, which waiting processes read and no service may change. */
const MIGRATIONS = 'migration'

/**
 * Allows a role to read and write the rows of every table, and no more: it owns nothing, so it can neither create,
 * alter nor drop anything. Repeated after every migration, because only the owner has access to new tables.
 */
export async function allowRuntimeRole(source: DataSource, { role, appendOnly }: RuntimeAccess): Promise<void> {
  const name = quoted(role)
  const fixed = [MIGRATIONS, ...appendOnly].map(quoted).join(', ')
  await source.transaction(async (tx) => {
    for (const statement of [
      `REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${name}`,
      `GRANT USAGE ON SCHEMA public TO ${name}`,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${name}`,
      `GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO ${name}`,
      `REVOKE UPDATE, DELETE ON ${fixed} FROM ${name}`,
      `REVOKE INSERT ON ${quoted(MIGRATIONS)} FROM ${name}`,
    ])
      await tx.query(statement)
  })
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
