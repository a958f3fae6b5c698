import { readFileSync } from 'node:fs'
import { type Description, undescribed } from '@connectivity/testing/described-traffic'
import { AdjustableReceiver } from '@connectivity/testing/adjustable-receiver'
import { eventually } from '@connectivity/testing/eventually'
import { keepDurations } from '@connectivity/testing/figures'
import type { WatchedPage } from '@connectivity/testing/watched-page'
import { describeEveryPage } from './every-page.js'
import { describeMishaps } from './mishaps.js'
import { describeLists } from './lists.js'
import { describeMappingFields } from './mapping-fields.js'
import { API, PortalStack, type Running, WINDOW } from './portal-stack.js'
import { describeSemantics } from './semantics.js'
import { describeSessions } from './sessions.js'

const CANARY = '<img src=x onerror="window.attacked=1">'

const description = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Description

let portal: PortalStack
let developer: WatchedPage
const receiver = new AdjustableReceiver()
const opened: WatchedPage[] = []
const watched = (page: WatchedPage): WatchedPage => {
  opened.push(page)
  return page
}
const running = (): Running => ({ portal, developer, watched })

beforeAll(async () => {
  portal = await PortalStack.start()
  developer = watched(await portal.open({ viewport: WINDOW }))
}, 200_000)
afterAll(async () => {
  receiver.stop()
  await portal?.stop()
})

const press = (name: string, from = developer) => from.press(name)
const shows = (text: string | RegExp, from = developer) => from.shows(text)

keepDurations('paths in the portal')

describe('a developer of a partner', () => {
  it('signs in with a link, which opening alone does not use up, and which leaves no trace in the address', async () => {
    const { url } = await portal.link('developer')
    const preview = watched(await portal.open())
    await preview.page.goto(url)
    await preview.heading('Sign in')
    await developer.page.goto(url)
    await developer.heading('Sign in')
    expect(new URL(developer.page.url()).hash).toBe('')
    await press('Sign in')
    await developer.heading('Connections')
    expect(new URL(developer.page.url()).pathname).toBe('/portal')
    expect(await developer.page.getByRole('link', { name: 'Connections' }).getAttribute('href')).toBe('/portal')
    await press('Sign in', preview)
    await shows('This link did not sign you in', preview)
    await shows('ask operations for a new link', preview)
    const kept = await developer.page.evaluate<string>('JSON.stringify([{ ...localStorage }, document.cookie])')
    expect(kept).not.toMatch(/portal|[\w-]{43}/)
  })

  it('finds the property, which no program has polled yet, and what is left to do for it', async () => {
    await developer.page.getByRole('link', { name: 'Aurora Guesthouse' }).click()
    await developer.heading('Aurora Guesthouse')
    await developer.page.locator('dl > div', { hasText: 'Last poll' }).getByText('never').waitFor()
    const log = `/requests?property_id=${portal.connectionId}&auth_method=signature`
    expect(await portal.stack.operators.call('GET', log)).toMatchObject({ requests: [] })
    await developer.page.getByText('0/6 rooms, 0/5 rate plans').waitFor()
    await developer.page.getByRole('link', { name: 'Mappings' }).first().click()
    await developer.heading('Mappings')
  })

  it('maps every room and rate plan, and only what was typed is sent', async () => {
    const { page } = developer
    await page.getByLabel('Twin Room').fill(CANARY)
    await press('Save mappings')
    await shows('Saved')
    const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().includes('/mappings'))
    for (const field of await page.getByRole('textbox').all()) {
      if ((await field.inputValue()) === '') await field.fill(`X-${await field.getAttribute('id')}`)
    }
    await press('Save mappings')
    const { mappings } = (await sent).postDataJSON() as { mappings: unknown[] }
    expect(mappings).toHaveLength(10)
    await shows('Saved')
    await eventually(async () => expect(await page.getByText('not mapped').count()).toBe(0))
    expect(await page.getByLabel('Twin Room').inputValue()).toBe(CANARY)
  })

  it('keeps typed ids when another person has saved meanwhile', async () => {
    const { page } = developer
    const other = watched(await portal.person('developer'))
    await other.goto(portal.at('mappings'))
    await page.getByLabel('Single Room').fill('SGL')
    await other.page.getByLabel('Family Room').fill('FAM')
    await press('Save mappings', other)
    await shows('Saved', other)
    await press('Save mappings')
    await page.getByRole('alert').waitFor()
    await press('Load again')
    await eventually(async () => expect(await page.getByLabel('Family Room').inputValue()).toBe('FAM'))
    expect(await page.getByLabel('Single Room').inputValue()).toBe('SGL')
    await press('Save mappings')
    await shows('Saved')
    // The events of these mappings are written before a callback could get them.
    await eventually(async () => {
      expect(await portal.externalRoomIds()).toEqual(expect.arrayContaining(['SGL', 'FAM']))
    })
    await other.close()
  })

  it('registers a callback, gets its secret once, and tests it', async () => {
    const { page } = developer
    const url = await receiver.start()
    await developer.goto(portal.at('callback'))
    await shows('There is no callback yet')
    await page.getByLabel('URL', { exact: true }).fill(url)
    await press('Save callback')
    const dialog = page.getByRole('dialog')
    const secret = await dialog.locator('code').innerText()
    expect(secret).toMatch(/^whsec_/)
    await press('Close')
    await dialog.waitFor({ state: 'detached' })
    expect(await page.content()).not.toContain(secret)
    await press('Send test')
    await shows(/The test was delivered: status 200/)
    expect(receiver.received).toBe(1)
  })

  it('sees the first event arrive, what was sent and what was answered', async () => {
    const { page } = developer
    receiver.status = 500
    receiver.body = CANARY
    await portal.stack.book()
    await developer.goto(portal.at('events'))
    const pending = page.getByRole('row').filter({ hasText: 'pending' })
    await pending.getByRole('button', { name: 'created' }).click()
    await shows('"type": "reservation.created"')
    await shows(/"total_amount": \d+\.\d\d,/)
    await page.getByRole('cell', { name: CANARY }).waitFor()
    receiver.status = 200
    await press('Replay')
    await shows('It is being sent again.')
    await page.getByRole('cell', { name: 'delivered' }).first().waitFor()
    await page.getByLabel('State').selectOption('failed')
    await shows('No event is in this state.')
    expect(page.url()).toContain('state=failed')
  })

  it('reads in the timeline of the reservation when it was served and delivered', async () => {
    const { page } = developer
    await portal.pull()
    await developer.goto(portal.at('events?state=delivered'))
    const link = page.getByRole('link', { name: /^RSV-/ }).first()
    const id = await link.innerText()
    await eventually(async () => {
      await developer.goto(`${portal.at('reservations')}/${id}`)
      await developer.heading(`Reservation ${id}`)
      await page.getByText('Callback attempted: status 200').waitFor({ timeout: 2_000 })
      await page.getByText('Served to you').first().waitFor({ timeout: 2_000 })
    })
    await shows('Callback attempted: status 500')
    await developer.goto(portal.at(''))
    await page.getByLabel('Reservation id', { exact: true }).fill('RSV/none %')
    await press('Show timeline')
    await developer.heading('Reservation not found')
    await shows('does not exist')
  })

  it('finds out why a request of its program was refused', async () => {
    const { page } = developer
    const path = `/reservations?property_id=${portal.connectionId}&limit=7`
    await portal.program(path, { signedPath: path })
    await eventually(async () => {
      await developer.goto('/portal/requests?status=401')
      await page.getByRole('table', { name: 'Requests' }).waitFor({ timeout: 2_000 })
    })
    await page.getByRole('button', { expanded: false }).first().click()
    await shows('signature mismatch')
    await shows('Hint: query was signed')
    await shows('limit=7')
    await page.getByLabel('Method', { exact: true }).selectOption('DELETE')
    await shows('No request fits these filters.')
    expect(page.url()).toContain('status=401&method=DELETE')
    await page.goBack()
    await page.getByRole('table', { name: 'Requests' }).waitFor()
    expect(await page.getByLabel('Method', { exact: true }).inputValue()).toBe('')
    expect(await page.getByLabel('Status', { exact: true }).inputValue()).toBe('401')
  })

  it('requests production once its own program has passed the checklist', async () => {
    const { page } = developer
    await developer.goto(portal.at('pilot'))
    await shows('Initial pull completed')
    await press('Request production')
    await page.getByLabel('Contact name', { exact: true }).fill('Ada')
    await page.getByRole('dialog').getByRole('button', { name: 'Request production' }).click()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    await press('Cancel')
    await passPilot()
    await page.getByText('passed', { exact: true }).nth(6).waitFor()
    await press('Request production')
    await page.getByLabel('Contact name').fill('Ada')
    await page.getByRole('dialog').getByRole('button', { name: 'Request production' }).click()
    await shows(/Production request:/)
    await shows('submitted')
  })
})

/** Requests of a partner's program in its pilot. */
async function passPilot(): Promise<void> {
  const { connectionId, stack } = portal
  await portal.program('/properties')
  await portal.program(`/properties/${connectionId}/mappings`)
  let checkpoint = await portal.pull()
  for (const change of [[], ['--modify'], ['--cancel']] as const) {
    await stack.book(...change)
    const before = checkpoint
    await eventually(async () => {
      checkpoint = await portal.pull(before)
      expect(checkpoint > before).toBe(true)
    })
  }
  await portal.program(`/reservations?property_id=${stack.otherConnection.property_id}`)
}

describeLists(running)
describeSemantics(running)
describeEveryPage(running)
describeSessions(running)
describeMishaps(running)
// Changed mappings make new events, which the tests above do not expect.
describeMappingFields(running)

describe('every opened page', () => {
  it('broke no policy, ran no foreign script, logged no error and called no other origin', async () => {
    expect(opened.flatMap(({ violations }) => violations)).toEqual([])
    expect(await developer.page.evaluate('window.attacked')).toBeUndefined()
    expect(opened.flatMap(({ errors }) => errors.filter((text) => !/status of 4\d\d/.test(text)))).toEqual([])
    expect(opened.flatMap(({ foreign }) => foreign)).toEqual([])
  })

  it('sent only requests that the OpenAPI document describes', () => {
    const traffic = opened.flatMap((person) => person.traffic)
    expect(traffic.length).toBeGreaterThan(100)
    expect([...new Set(undescribed(description, API, traffic))]).toEqual([])
  })
})
