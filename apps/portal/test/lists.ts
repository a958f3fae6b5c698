import { eventually } from '@connectivity/testing/eventually'
import type { WatchedPage } from '@connectivity/testing/watched-page'
import { API, type Running, WINDOW } from './portal-stack.js'

const REFUSED = { code: 'insufficient_scope', message: 'Not "now".', correlation_id: 'corr-1', details: [] }

/** An entry of the request log that the portal has caused. */
const OWN_ENTRY = {
  ...{ at: '2026-11-20T10:15:30.000Z', correlation_id: 'own', method: 'GET', path: '/properties', query: {} },
  ...{ property_id: null, credential_id: null, authenticated: true, auth_method: 'portal', status: 200, code: null },
  ...{ details: [], duration_ms: 1, request_bytes: 0, response_bytes: 2, rate_limit: null, clock_skew_seconds: null },
  ...{ idempotency: null, page: null, repeated: 1 },
}

/** Tests of lists and their filters. */
export function describeLists(running: () => Running): void {
  describe('a list', () => {
    let person: WatchedPage
    beforeAll(async () => {
      person = running().watched(await running().portal.person('developer', { viewport: WINDOW }))
    })
    afterAll(() => person?.close())
    const field = (label: string) => person.page.getByLabel(label, { exact: true })

    it('announces the number of its rows, and why it has none, in one element that stays', async () => {
      await person.goto(running().portal.at('events'))
      const region = person.page.getByRole('status').filter({ hasText: /^[\d,]+ events?$/ })
      await region.waitFor()
      const kept = (await region.elementHandle())!
      await person.page.getByLabel('State').selectOption('failed')
      await eventually(async () => expect(await kept.innerText()).toBe('No event is in this state.'))
      await person.page.getByLabel('State').selectOption('')
      await eventually(async () => expect(await kept.innerText()).toMatch(/^[\d,]+ events?$/))
      expect(await person.page.getByRole('table', { name: 'Events' }).count()).toBe(1)
    })

    it('shows a filter of the address that is not an option', async () => {
      await person.goto('/portal?state=nope')
      await person.shows('No connection fits these filters.')
      expect(await person.page.getByLabel('State').inputValue()).toBe('nope')
    })

    it('takes two filters that change one right after the other', async () => {
      await person.goto('/portal/requests')
      await field('Code').fill('first')
      await field('Path').fill('second')
      await eventually(async () => expect(new URL(person.page.url()).search).toBe('?code=first&path=second'))
    })

    it('shows no text in a filter that the address does not hold', async () => {
      await person.goto('/portal/requests?code=shown')
      await person.page.getByRole('link', { name: 'Requests' }).click()
      await eventually(async () => expect(await field('Code').inputValue()).toBe(''))
      expect(person.page.url()).toMatch(/requests$/)
    })

    it('shows at a filter of time how it is written, and what is wrong with it', async () => {
      await person.goto('/portal/requests')
      await field('Since').fill('yesterday')
      await person.page.getByRole('alert').waitFor()
      expect(await field('Since').getAttribute('aria-invalid')).toBe('true')
      const ids = (await field('Since').getAttribute('aria-describedby'))!.trim().split(/\s+/)
      const texts = await Promise.all(ids.map((id) => person.page.locator(`[id="${id}"]`).innerText()))
      expect(texts.join(' ')).toContain('Give a time with its zone')
      expect(texts.join(' ')).toContain('Z is UTC')
      expect(await person.inaccessible()).toEqual([])
    })

    it('that cannot be read again says so above its rows, and tries again', async () => {
      await person.goto(running().portal.at('events'))
      const table = person.page.getByRole('table', { name: 'Events' })
      await table.waitFor()
      const calls = `**${API}/reservations/events?*`
      await person.page.route(calls, (route) => route.fulfill({ status: 403, json: { error: REFUSED } }))
      const alert = person.page.getByRole('alert')
      await alert.getByText(REFUSED.message, { exact: true }).waitFor()
      await alert.getByText(REFUSED.correlation_id, { exact: true }).waitFor()
      expect(await table.count()).toBe(1)
      await person.page.unroute(calls)
      await person.press('Try again')
      await alert.waitFor({ state: 'detached' })
      expect(await table.count()).toBe(1)
    })

    it('of events is read again after more were loaded', async () => {
      const events = { first: 0, second: 0 }
      await person.page.route(`**${API}/reservations/events?*`, async (route) => {
        const isSecond = route.request().url().includes('cursor=')
        events[isSecond ? 'second' : 'first']++
        const pagination = { next_cursor: isSecond ? null : 'next', has_more: !isSecond }
        await route.fulfill({ json: { schema_version: '1.0', events: [], pagination } })
      })
      await person.goto(running().portal.at('events'))
      await person.press('Load more')
      await eventually(() => expect(events.second).toBeGreaterThan(1))
      await person.page.unrouteAll()
    })

    it('of requests looks a few pages back for one that is not the portal’s own, and says whether it leaves those out', async () => {
      let asked = 0
      await person.page.route(`**${API}/requests?*`, async (route) => {
        asked++
        await route.fulfill({
          json: { requests: [OWN_ENTRY], pagination: { next_cursor: `c${asked}`, has_more: true } },
        })
      })
      await person.goto('/portal/requests')
      await person.shows('Only requests of this portal were found back to')
      expect(asked).toBe(5)
      await person.press('Load more')
      await eventually(() => expect(asked).toBe(10))
      const leftOut = person.page.getByText('Requests of this portal are left out.')
      expect(await leftOut.count()).toBe(1)
      await field('Auth method').selectOption('portal')
      await person.page.getByRole('table', { name: 'Requests' }).waitFor()
      expect(await leftOut.count()).toBe(0)
      await person.page.unrouteAll()
    })
  })
}
