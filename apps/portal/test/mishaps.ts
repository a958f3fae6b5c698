import { eventually } from '@connectivity/testing/eventually'
import type { WatchedPage } from '@connectivity/testing/watched-page'
import type { Route } from '@connectivity/toolkit/browser'
import { API, type Running } from './portal-stack.js'

const UNREACHABLE = 'The service cannot be reached'

/** Keys of the changes that the page sends from now on. */
function keysOf({ page }: WatchedPage): string[] {
  const keys: string[] = []
  page.on('request', (request) => {
    const key = request.headers()['idempotency-key']
    if (key !== undefined) keys.push(key)
  })
  return keys
}

const SAVED = /^Saved$/
const PRESS_TWICE = 'document.activeElement.click(); document.activeElement.click()'

/** Tests of a bad line, and of unusual addresses and browsers. Their pages log errors, so they are not watched. */
export function describeMishaps(running: () => Running): void {
  const personAt = async (page: string): Promise<WatchedPage> => {
    const person = await running().portal.person()
    await person.goto(running().portal.at(page))
    return person
  }

  describe('without a network', () => {
    it('a change fails at once, and is not sent later', async () => {
      const person = await personAt('callback')
      const sent: string[] = []
      person.page.on('request', (request) => void (request.method() === 'POST' && sent.push(request.url())))
      const dialog = person.page.getByRole('dialog')
      await person.press('Rotate secret')
      await dialog.waitFor()
      await person.page.context().setOffline(true)
      await dialog.getByRole('button', { name: 'Rotate secret' }).click()
      await dialog.getByText(UNREACHABLE).waitFor({ timeout: 5_000 })
      expect(sent).toHaveLength(1)
      const again = person.page.waitForResponse((response) => response.url().includes(`${API}/properties`))
      await person.page.context().setOffline(false)
      await again
      expect(sent).toHaveLength(1)
      await person.close()
    })

    it('a page says so instead of loading for ever', async () => {
      const person = await personAt('')
      await person.heading('Aurora Guesthouse')
      await person.page.context().setOffline(true)
      await person.page.getByRole('link', { name: 'Pilot' }).first().click()
      await person.page.getByRole('alert').getByText(UNREACHABLE).first().waitFor({ timeout: 5_000 })
      await person.close()
    })
  })

  describe('a change', () => {
    it('keeps its key when its answer is lost, and has a new one afterwards', async () => {
      const person = await personAt('mappings')
      const keys = keysOf(person)
      await person.page.getByLabel('Single Room').fill(`lost ${Date.now()}`)
      const loseFirstAnswer = (route: Route) =>
        keys.length > 1 ? route.continue() : route.fetch().then(() => route.abort())
      await person.page.route(`**${API}/**/mappings`, loseFirstAnswer)
      await person.press('Save mappings')
      await person.shows(UNREACHABLE)
      await person.press('Save mappings')
      await person.shows(SAVED)
      await person.page.getByLabel('Single Room').fill(`next ${Date.now()}`)
      await person.press('Save mappings')
      await eventually(async () => expect(keys).toHaveLength(3))
      expect(keys[1]).toBe(keys[0])
      expect(keys[2]).not.toBe(keys[0])
      await person.close()
    })

    it('is sent once, however often its button is pressed', async () => {
      const person = await personAt('mappings')
      const keys = keysOf(person)
      await person.page.getByLabel('Single Room').fill(`twice ${Date.now()}`)
      const save = person.page.getByRole('button', { name: 'Save mappings' })
      await save.focus()
      await person.page.evaluate(PRESS_TWICE)
      await person.shows(SAVED)
      expect(keys).toHaveLength(1)
      await person.page.locator('button:focus', { hasText: 'Save mappings' }).waitFor()
      await person.close()
    })
  })

  it('the secret of a callback is shown although its page was left, and nothing counts as unsaved', async () => {
    const person = await personAt('callback')
    const { page } = person
    const asked: string[] = []
    page.on('dialog', (dialog) => void asked.push(dialog.type()))
    let answer: (() => void) | undefined
    const held = new Promise<void>((resolve) => (answer = resolve))
    const url = 'https://hooks.pms.example/events'
    const saved = { url, events: ['reservation.created'], payload: 'full', state: 'active', secret: 'whsec_held' }
    await page.route(`**${API}/**/callback`, (route) =>
      route.request().method() === 'PUT' ? held.then(() => route.fulfill({ json: saved })) : route.continue(),
    )
    await page.getByLabel('URL', { exact: true }).fill(url)
    await person.press('Save callback')
    await person.shows('Waiting for your server')
    await page.getByRole('link', { name: 'Connections', exact: true }).click()
    await person.heading('Connections')
    answer!()
    await page.getByRole('dialog').getByText('whsec_held').waitFor()
    await page.getByRole('dialog').getByText(running().portal.connectionId).waitFor()
    await person.press('Close')
    await page.reload()
    await person.heading('Connections')
    expect(asked).toEqual([])
    await person.close()
  })

  describe('an address', () => {
    it.each(['a/b?c=d#e%2F 100%', '50%25', '%2e%2e', 'a%252Fb', 'A&B=ü+'])(
      'of the reservation %s asks for it',
      async (id) => {
        const person = await running().portal.person()
        const address = `${running().portal.at('reservations')}/${encodeURIComponent(id)}`
        const path = `${API}/reservations/${encodeURIComponent(id)}/timeline`
        const asked = person.page.waitForRequest((request) => new URL(request.url()).pathname === path)
        await person.goto(address)
        await asked
        await person.page.getByRole('heading', { level: 1, name: /^Reservation / }).waitFor()
        await person.close()
      },
    )

    it('with a lone percent sign names nothing, but has a page', async () => {
      const person = await running().portal.person()
      await person.page.evaluate(`history.pushState(null, '', '/portal/connections/100%')`)
      await person.heading('Connection not found')
      await person.page.evaluate(`history.pushState(null, '', '${running().portal.at('reservations')}/100%')`)
      await person.heading('Reservation not found')
      await person.close()
    })

    it('keeps a filter as it was typed', async () => {
      const person = await running().portal.person()
      await person.goto('/portal/requests?path=%2525')
      expect(await person.page.getByLabel('Path', { exact: true }).inputValue()).toBe('%25')
      await person.close()
    })
  })

  it('a text is copied, or selected for copying by hand where the browser refuses', async () => {
    const person = await personAt('')
    const id = running().portal.connectionId
    const withClipboard = (clipboard: string) =>
      person.page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: ${clipboard}, configurable: true })`)
    for (const refusing of ['undefined', '{ writeText: () => Promise.reject(new Error()) }']) {
      await withClipboard('{ writeText: () => Promise.resolve() }')
      await person.press(`Copy ${id}`)
      await person.page.getByRole('status').getByText('Copied').waitFor()
      await withClipboard(refusing)
      await person.press(`Copy ${id}`)
      await person.page.getByRole('status').getByText('copy it by hand').waitFor()
      expect(await person.page.evaluate('getSelection().toString()')).toBe(id)
    }
    await person.close()
  })

  it('a connection that cannot be read has a page with a title, which tries again', async () => {
    const person = await running().portal.person()
    await person.page.route(`**${API}/properties`, (route) => route.fulfill({ status: 503, json: {} }))
    await person.goto(running().portal.at(''))
    await person.heading('Connection')
    expect(await person.page.title()).toBe('Connection')
    await person.page.unroute(`**${API}/properties`)
    await person.press('Try again')
    await person.heading('Aurora Guesthouse')
    await person.page.locator('h1:focus').waitFor()
    await person.close()
  })

  it('an error of the code is shown as a page, and the menu leads out of it', async () => {
    const person = await running().portal.person()
    const wrong = { requests: [null], pagination: { next_cursor: null } }
    await person.page.route(`**${API}/requests?*`, (route) => route.fulfill({ json: wrong }))
    await person.goto('/portal/requests?auth_method=portal')
    await person.heading('This page has failed')
    await person.page.getByRole('link', { name: 'Connections' }).click()
    await person.heading('Connections')
    await person.close()
  })
}
