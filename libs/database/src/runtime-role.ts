import type { DataSource } from 'typeorm'

/** The role that a service runs as, and what it may only add to. */
export interface RuntimeAccess {
  role: string
  appendOnly: readonly string[]
}

/** What has been migrated is read while a process waits for it, and is nobody's to change. */
const MIGRATIONS = 'migration'

/**
 * Allows a role to read and write the rows of every table, and no more: it owns nothing, so that it can neither create,
 * alter nor drop anything. Repeated after every migration, because new tables are the owner's alone.
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
