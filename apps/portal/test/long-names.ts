import type { Route } from '@connectivity/toolkit/browser'
import { API, PHONE, type Running, WINDOW } from './portal-stack.js'

const LONG_NAME = 'Suite'.repeat(40)
/** A window of 1280 px at a zoom of 200 %. */
const ZOOMED = { width: WINDOW.width / 2, height: WINDOW.height / 2 }

/** Tests of pages whose names have no place for a line break. */
export function describeLongNames(running: () => Running): void {
  it.each([PHONE, ZOOMED])('breaks names without spaces at %p', async (viewport) => {
    const person = running().watched(await running().portal.person('developer', { viewport }))
    const rename = async (route: Route) => {
      const response = await route.fetch({ headers: { ...route.request().headers(), 'sec-fetch-site': 'same-origin' } })
      const text = (await response.text()).replaceAll(/"name":"[^"]*"/g, `"name":"${LONG_NAME}"`)
      await route.fulfill({ response, body: text })
    }
    for (const call of ['catalog/rooms?*', 'catalog/rate-plans?*', 'properties'])
      await person.page.route(`**${API}/${call}`, rename)
    for (const page of ['', 'mappings', 'availability']) {
      await person.goto(running().portal.at(page))
      await person.page
        .getByText(LONG_NAME)
        .nth(page === '' ? 0 : 1)
        .waitFor()
      expect([page, await person.overflow()]).toEqual([page, 0])
    }
    await person.close()
  })
}
