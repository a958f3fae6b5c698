import { hash, randomBytes } from 'node:crypto'
import { Database } from '@connectivity/database'
import { migrate } from '@connectivity/database/migrate'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { eventually } from '@connectivity/testing/eventually'
import { LOCK_WAITS } from '@connectivity/testing/lock-waits'
import { migrations } from '../../migrations/migrations.js'
import { endPortalLinks } from '../../registry/applications/ended-access.store.js'
import { ActivityStore } from '../activity/activity.store.js'
import { PortalSessionStore } from './portal-session.store.js'

const APPLICATION = 'app_1'

const hashOf = (text: string): Buffer => hash('sha256', text, 'buffer')

describe('sessions of the portal and a suspension at the same moment', () => {
  let test: TestDatabase
  let database: Database
  let sessions: PortalSessionStore

  beforeAll(async () => {
    test = await createDatabase()
    const options = { url: test.url, applicationName: 'test', migrations }
    await migrate(options)
    database = new Database(options)
    sessions = new PortalSessionStore(database, { PORTAL_SESSION_HOURS: 8 })
    await test.query(
      `INSERT INTO application (application_id, name, contact_name, contact_email, state, limits, created_at)
       VALUES ($1, 'PMS', 'Ada', 'ada@example.com', 'approved', '{}', now())`,
      [APPLICATION],
    )
  })

  afterAll(async () => {
    await database.close()
    await test.drop()
  })

  /** Issues a link with this id. @returns the hash of its token */
  const issue = async (id: string): Promise<Buffer> => {
    const tokenHash = hashOf(id)
    await test.query(
      `INSERT INTO portal_link (portal_link_id, application_id, email, role, token_hash, created_at, expires_at)
       VALUES ($1, $2, 'ada@example.com', 'viewer', $3, now(), now() + interval '15 minutes')`,
      [id, APPLICATION, tokenHash],
    )
    return tokenHash
  }

  const untilOneWaits = () =>
    eventually(async () => {
      expect(await test.query(LOCK_WAITS)).toHaveLength(1)
    })

  it('lets the suspension end the link, and refuses the sign-in that waited for it', async () => {
    const tokenHash = await issue('plk_1')
    const signedIn = await database.transaction(async (tx) => {
      await tx.query(`SELECT FROM application WHERE application_id = $1 FOR UPDATE`, [APPLICATION])
      const started = sessions.start(tokenHash, randomBytes(32))
      await untilOneWaits()
      await endPortalLinks(tx, APPLICATION)
      await tx.query(`UPDATE application SET state = 'suspended' WHERE application_id = $1`, [APPLICATION])
      return { started }
    })
    await expect(signedIn.started).resolves.toBeNull()
    await test.query(`UPDATE application SET state = 'approved'`)
  })

  it('ends the session of a sign-in that came first', async () => {
    const tokenHash = await issue('plk_2')
    await expect(sessions.start(tokenHash, randomBytes(32))).resolves.toMatchObject({ applicationId: APPLICATION })
    await expect(sessions.start(tokenHash, randomBytes(32))).resolves.toBeNull()
    await database.transaction((tx) => endPortalLinks(tx, APPLICATION))
    const [link] = await test.query<{ ended: boolean }>(
      `SELECT session_ended_at IS NOT NULL AS ended FROM portal_link WHERE portal_link_id = 'plk_2'`,
    )
    expect(link).toEqual({ ended: true })
  })

  it('notes when sessions were last seen while a suspension holds some of their links', async () => {
    await Promise.all([issue('plk_3'), issue('plk_4')])
    const activity = new ActivityStore(database)
    const later = Date.now() + 60_000
    const seen = await database.transaction(async (tx) => {
      await tx.query(`SELECT FROM portal_link WHERE portal_link_id = 'plk_3' FOR NO KEY UPDATE`)
      const recorded = activity.recordSights(
        new Map([
          ['plk_4', later],
          ['plk_3', later],
        ]),
      )
      await untilOneWaits()
      await endPortalLinks(tx, APPLICATION)
      return { recorded }
    })
    await expect(seen.recorded).resolves.toBeUndefined()
    const links = await test.query<{ at: Date }>(
      `SELECT session_last_seen_at AS at FROM portal_link WHERE portal_link_id IN ('plk_3', 'plk_4')`,
    )
    expect(links.map(({ at }) => at.getTime())).toEqual([later, later])
  })
})
