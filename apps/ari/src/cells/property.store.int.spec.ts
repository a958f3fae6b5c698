import { documented } from '@connectivity/toolkit/backup-page'
import { ariDatabase, type AriDatabase } from '../../test/ari-database.js'
import { PropertyStore } from './property.store.js'

describe('revisions after a restore', () => {
  let ari: AriDatabase

  beforeAll(async () => (ari = await ariDatabase()))
  afterAll(() => ari.end())

  it('go on after those that the booking engine knows, also for a property that the backup does not know', async () => {
    const database = ari.connect()
    const store = new PropertyStore()
    const { createWritten, raiseRevisions } = documented()
    await database.query("INSERT INTO property VALUES ('prop_old', 3, 'Asia/Tokyo'), ('prop_ahead', 9, 'Asia/Tokyo')")
    const revisions = await database.transaction(async (tx) => {
      await tx.query(createWritten)
      await tx.query("INSERT INTO written VALUES ('prop_old', 7), ('prop_old', 6), ('prop_new', 4), ('prop_ahead', 5)")
      await tx.query(raiseRevisions)
      return store.tryLock(
        tx,
        ['prop_old', 'prop_new', 'prop_ahead'].map((propertyId) => ({ propertyId, timezone: 'Asia/Tokyo' })),
      )
    })
    expect(Object.fromEntries(revisions)).toEqual({ prop_old: 7, prop_new: 4, prop_ahead: 9 })
  })
})
