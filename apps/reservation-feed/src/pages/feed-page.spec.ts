import { cutPage, pageBody } from './feed-page.js'
import type { PageRow } from './feed-page.store.js'

const row = (stamp: number, body = `{"n":${stamp}}`, kind: PageRow['kind'] = 'reservation') => ({
  stamp,
  kind,
  bytes: Buffer.byteLength(body),
  body,
})

describe('a page', () => {
  it('has more exactly when a row beyond the limit was read', () => {
    expect(cutPage([row(1), row(2)], 2)).toEqual({ page: [row(1), row(2)], hasMore: false })
    expect(cutPage([row(1), row(2), row(3)], 2)).toEqual({ page: [row(1), row(2)], hasMore: true })
    expect(cutPage([], 2)).toEqual({ page: [], hasMore: false })
  })

  it('stops before 4 MiB, counted in bytes, and sends one larger reservation alone', () => {
    const half = row(1, 'é'.repeat(1024 * 1024))
    const large = row(2, 'x'.repeat(5 * 1024 * 1024))
    expect(cutPage([half, half, half], 3)).toEqual({ page: [half], hasMore: true })
    expect(cutPage([large, half], 3)).toEqual({ page: [large], hasMore: true })
    expect(cutPage([large], 3)).toEqual({ page: [large], hasMore: false })
  })

  it('joins the bodies as they are and counts reservations only', () => {
    const body = pageBody({
      connectionId: 'con_1',
      externalPropertyId: 'PMS "1"',
      limit: 3,
      page: [row(1), row(2, '{"p":1}', 'problem'), row(3, '{"n":"Zoë 🏨"}')],
      nextCursor: null,
    })
    expect(body.toString()).toBe(
      '{"schema_version":"1.0.0","property_id":"con_1","external_property_id":"PMS \\"1\\"","reservations":[{"n":1},{"n":"Zoë 🏨"}],"errors":[{"p":1}],' +
        '"pagination":{"limit":3,"count":2,"has_more":false,"next_cursor":null}}',
    )
  })
})
