import { localDate } from '@connectivity/contracts/local-date'
import { catalog } from '@connectivity/testing/catalog'
import { feedInProcess } from './feed-in-process.js'

const HOUR = 3_600_000
const [PAGO_PAGO, KIRITIMATI] = ['Pacific/Pago_Pago', 'Pacific/Kiritimati']

/** A stay by the calendar of the property. */
function stay(timezone: string, reservation_id: string, from: number, to: number) {
  const today = Date.parse(localDate(timezone, Date.now()))
  const [check_in, check_out] = [from, to].map((days) => new Date(today + days * 24 * HOUR).toISOString().slice(0, 10))
  return { reservation_id, property_id: 'prop_1', check_in: check_in!, check_out: check_out! }
}

describe('the calendar by which reservations are at risk', () => {
  it.each([
    [PAGO_PAGO, KIRITIMATI],
    [KIRITIMATI, PAGO_PAGO],
  ])('is that of a property in %s, although the database is in %s', async (timezone, ofDatabase) => {
    const feed = await feedInProcess(undefined, { timezone: ofDatabase })
    try {
      await feed.connect({ connection_id: 'con_1', property_id: 'prop_1' })
      await feed.takeCatalogs(catalog({ connection_id: 'con_1', property_id: 'prop_1', timezone }))
      const stays = { soon: [2, 3], later: [3, 4], leaving: [-1, 0], left: [-2, -1] } as const
      await feed.book(Object.entries(stays).map(([id, [from, to]]) => stay(timezone, id, from, to)))
      await feed.database.query('UPDATE feed_row SET stamp = stamp - $1', [HOUR])
      const { rows } = await feed.database.query<{ zone: string }>(`SELECT current_setting('timezone') AS zone`)
      expect(rows).toEqual([{ zone: ofDatabase }])
      feed.start()
      const polledAt = Date.now()
      await feed.poll('con_1', 'property_id=con_1')
      await feed.stop()
      const { at_risk, processed_at } = await feed.statuses.of('con_1')
      expect(at_risk.map(({ reservation_id }) => reservation_id)).toEqual(['leaving', 'soon'])
      expect(Math.abs(Date.parse(processed_at!) - polledAt)).toBeLessThan(60_000)
    } finally {
      await feed.end()
    }
  })
})
