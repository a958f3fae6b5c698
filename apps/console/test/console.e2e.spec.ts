import { AdjustableReceiver } from '@connectivity/testing/adjustable-receiver'
import { jest } from '@jest/globals'
import { readFileSync } from 'node:fs'
import type { Route } from '@connectivity/toolkit/browser'
import { type Description, undescribed } from '@connectivity/testing/described-traffic'
import { keepDurations } from '@connectivity/testing/figures'
import type { WatchedPage } from '@connectivity/testing/watched-page'
import { describeColleagues } from './colleagues.js'
import { ConsoleStack, OPS } from './console-stack.js'
import { describeEveryPage, WINDOW } from './every-page.js'
import { describeMishaps } from './mishaps.js'

const CANARY = '<img src=x onerror="window.attacked=1">'

const description = JSON.parse(readFileSync('docs/operators-openapi.json', 'utf8')) as Description

/** Pages load slowly when the machine is busy. */
jest.setTimeout(90_000)

let morning: ConsoleStack
let operator: WatchedPage
let silent: string
const receiver = new AdjustableReceiver()
const opened: WatchedPage[] = []
const watched = (page: WatchedPage): WatchedPage => {
  opened.push(page)
  return page
}

beforeAll(async () => {
  morning = await ConsoleStack.start()
  await morning.register(await receiver.start())
  const { property_id } = morning.stack.connection
  await morning.stack.operators.call('POST', `/callbacks/${property_id}/suspend`, {})
  silent = await morning.silentConnection()
  await morning.deadLetter(999_999, CANARY, `{"data": "${CANARY.replaceAll('"', '')}"}`)
}, 240_000)
afterAll(async () => {
  receiver.stop()
  await morning?.stop()
})

const press = (name: string | RegExp, from = operator) =>
  from.page.getByRole('button', { name, exact: true }).first().click()
const hasFocus = (name: string) => operator.page.locator('button:focus', { hasText: name }).waitFor()
const shows = (text: string | RegExp, from = operator) => from.page.getByText(text).first().waitFor()

/** Confirms a dialog with a reason. */
async function confirm(name: string, reason: string, from = operator): Promise<void> {
  const dialog = from.page.getByRole('dialog')
  const field = dialog.getByLabel('Reason', { exact: true })
  await field.fill(reason)
  await dialog.getByRole('button', { name, exact: true }).click()
  await field.waitFor({ state: 'detached' })
}

keepDurations('paths in the console')

describe('an operator in the morning', () => {
  it('signs in with a token, which is never stored', async () => {
    operator = watched(await morning.open({ viewport: WINDOW }))
    await operator.goto('/console')
    await operator.heading('Sign in')
    await operator.page.getByLabel('Operator token', { exact: true }).fill('not a token')
    await press('Sign in')
    await operator.page.getByRole('alert').waitFor()
    await operator.page.getByLabel('Operator token').fill(`Bearer ${morning.demo.ops.token}`)
    await press('Sign in')
    await operator.heading('Overview')
    const kept = await operator.page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])',
    )
    expect(kept).not.toContain(morning.demo.ops.token.slice(0, 20))
  })

  it('sees first what needs attention, and why', async () => {
    await shows('callback failing')
    const needs = await operator.page.locator('tbody tr td[data-label="Needs"]').allInnerTexts()
    expect(needs[0]).toContain('callback failing')
    expect(needs.find((text) => text.includes('silent'))).toBeDefined()
  })

  it('resumes the failing callback with a reason', async () => {
    const { property_id } = morning.stack.connection
    await operator.page.getByRole('link', { name: property_id }).click()
    await operator.heading(property_id)
    await shows('suspended by operator')
    await press('Resume callback')
    await confirm('Resume callback', 'the partner fixed its receiver')
    await operator.page.getByRole('button', { name: 'Suspend callback' }).waitFor()
  })

  it('issues a credential, whose secret is shown once', async () => {
    await press('Issue credential')
    const dialog = operator.page.getByRole('dialog')
    await dialog.getByLabel('Scopes').fill('reservations:read, events:read')
    await dialog.getByLabel('Expires at').fill('2099-01-01T00:00:00Z')
    await confirm('Issue credential', 'second system')
    const secret = await dialog.locator('code').innerText()
    expect(secret).toMatch(/^[\w-]{43}$/)
    await dialog.getByText(/^key_/).waitFor()
    expect((await dialog.getByRole('button').allInnerTexts()).sort()).toEqual(['Close', 'Copy'])
    await dialog.getByRole('button', { name: 'Copy', exact: true }).waitFor()
    await press('Close')
    await dialog.waitFor({ state: 'detached' })
    await hasFocus('Issue credential')
    expect(await operator.page.content()).not.toContain(secret)
    await shows(/^(events:read, reservations:read|reservations:read, events:read)$/)
  })

  it('rotates no credential while the overlap is empty', async () => {
    await press('Rotate')
    const dialog = operator.page.getByRole('dialog')
    await dialog.getByLabel('Reason', { exact: true }).fill('yearly')
    await dialog.getByLabel('Overlap seconds', { exact: true }).fill('')
    await dialog.getByRole('button', { name: /^Rotate/ }).click()
    expect(await dialog.locator('input:invalid').count()).toBe(1)
    await press('Cancel')
    await hasFocus('Rotate')
  })

  it('disables the silent partner, who reads why', async () => {
    const overview = operator.page.getByRole('link', { name: 'Overview' })
    expect(await overview.getAttribute('href')).toBe('/console')
    await overview.click()
    await operator.heading('Overview')
    expect(new URL(operator.page.url()).pathname).toBe('/console')
    await operator.page.getByRole('link', { name: silent }).click()
    await operator.heading(silent)
    await press('Move to…')
    await operator.page.getByLabel('To', { exact: true }).selectOption('disabled')
    await operator.page.getByLabel('Public reason').fill('Silent since yesterday.')
    await confirm('Move', 'silent, and its contact does not answer')
    await shows('Silent since yesterday.')
  })

  it('reads the dead letter, discards it, and finds it in the audit', async () => {
    await operator.page.getByRole('link', { name: 'Dead letters' }).click()
    await operator.heading('Dead letters')
    await operator.page.locator('tbody button[aria-expanded="false"]').first().click()
    await shows(/img src=x/)
    await shows('partition 0, offset 999999')
    await press('Replay')
    await confirm('Replay', 'the booking engine reports a fix')
    await shows(/^Replayed, and failed again at attempt \d+: ./)
    const reads = operator.traffic.filter(({ target }) => /dead-letters\/[^/?]+\/[^/?]+$/.test(target))
    expect(reads).toHaveLength(1)
    await press('Discard')
    await confirm('Discard', 'a test of the booking engine')
    await shows('No dead letters here')
    await operator.page.getByRole('link', { name: 'Audit' }).click()
    await shows('a test of the booking engine')
    await shows('silent, and its contact does not answer')
  })

  it('admits an application, and gives a person a link to the portal', async () => {
    await operator.page.getByRole('link', { name: 'Applications' }).click()
    await press('New application')
    const dialog = operator.page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill(`PMS ${CANARY}`)
    await dialog.getByLabel('Contact name', { exact: true }).fill('Ada')
    await dialog.getByLabel('Contact e-mail', { exact: true }).fill('ada@pms.example')
    await confirm('New application', 'signed contract')
    await operator.heading(`PMS ${CANARY}`)
    await press('Approve')
    await confirm('Approve', 'signed contract')
    await operator.page.getByRole('button', { name: 'Suspend' }).waitFor()
    await press('Portal link')
    await dialog.getByLabel('E-mail').fill('ada@pms.example')
    await confirm('Portal link', 'first look')
    await shows(/\/portal\/sign-in#/)
    await dialog.getByRole('button', { name: 'Copy', exact: true }).waitFor()
    await press('Close')
    await shows('ada@pms.example')
    await press('Portal link')
    expect(await dialog.getByLabel('E-mail').inputValue()).toBe('')
    await press('Cancel')
  })
})

describe('the console', () => {
  it('shows an error of the interface with its correlation id, and keeps what was typed', async () => {
    await operator.page.getByRole('link', { name: 'Applications' }).click()
    await press('New application')
    const dialog = operator.page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('PMS')
    await dialog.getByLabel('Contact name').fill('Ada')
    await dialog.getByLabel('Contact e-mail').fill('ada@localhost')
    await dialog.getByRole('textbox', { name: 'Reason', exact: true }).fill('signed contract')
    await dialog.getByRole('button', { name: 'New application' }).click()
    await dialog.getByRole('alert').waitFor()
    expect(await dialog.getByText('Correlation id').count()).toBe(1)
    expect(await dialog.getByRole('textbox', { name: 'Reason', exact: true }).inputValue()).toBe('signed contract')
    await press('Cancel')
    await hasFocus('New application')
  })

  it('gives the focus back to the button of a dialog that Escape closes', async () => {
    const { page } = operator
    await press('New application')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await hasFocus('New application')
  })

  it('asks for a new token when the old one has ended, and keeps what was typed', async () => {
    const { page } = operator
    await press('New application')
    const dialog = page.getByRole('dialog', { name: 'New application' })
    const reason = dialog.getByRole('textbox', { name: 'Reason', exact: true })
    for (const [label, value] of [
      ['Name', 'Second PMS'],
      ['Contact name', 'Ada'],
      ['Contact e-mail', 'ada@pms.example'],
      ['Reason', 'ticket 12'],
    ] as const)
      await dialog.getByRole('textbox', { name: label, exact: true }).fill(value)
    const withEndedToken = (route: Route) =>
      route.continue({ headers: { ...route.request().headers(), authorization: 'Bearer ended' } })
    await page.route(`**${OPS}/applications`, withEndedToken, { times: 1 })
    await dialog.getByRole('button', { name: 'New application' }).click()
    const again = page.getByRole('dialog', { name: 'Sign in again' })
    await again.locator('input:focus').waitFor()
    await again.getByLabel('Operator token').fill(morning.demo.ops.token)
    expect(await operator.inaccessible()).toEqual([])
    await again.getByRole('button', { name: 'Sign in', exact: true }).click()
    await again.waitFor({ state: 'detached' })
    await dialog.locator('button:focus', { hasText: 'New application' }).waitFor()
    expect(await reason.inputValue()).toBe('ticket 12')
    await dialog.getByRole('button', { name: 'New application' }).click()
    await dialog.waitFor({ state: 'detached' })
    await operator.heading('Second PMS')
  })

  it('sends a limit as it was typed, and none that is empty', async () => {
    const { page } = operator
    await press('Change limits')
    const dialog = page.getByRole('dialog')
    const field = dialog.getByLabel('Feed per minute', { exact: true })
    const change = dialog.getByRole('button', { name: 'Change limits', exact: true })
    await dialog.getByLabel('Reason', { exact: true }).fill('too many calls')
    await field.fill('')
    await change.click()
    expect(await dialog.locator('input:invalid').count()).toBe(1)
    await field.fill('1e3')
    await change.click()
    await dialog.getByText('Give a whole number').waitFor()
    expect(await field.inputValue()).toBe('1e3')
    const sent = page.waitForRequest((request) => request.method() === 'PUT')
    await field.fill('0')
    await change.click()
    expect((await sent).postDataJSON()).toMatchObject({ limits: { feed: { per_minute: 0 } } })
    await dialog.getByRole('alert').waitFor()
    await field.fill('1,217')
    await change.click()
    await shows('1,217 a minute')
    expect(operator.traffic.filter(({ method }) => method === 'PUT').map(({ status }) => status)).toEqual([400, 200])
  })

  it('shows no buttons for changes to operators who may only read', async () => {
    const reader = watched(await morning.operator('/console', { viewport: WINDOW }, morning.demo.ops.read_token))
    const { property_id } = morning.stack.connection
    await reader.page.getByRole('link', { name: property_id }).click()
    await reader.heading(property_id)
    await shows('Credentials', reader)
    await reader.page.locator('[aria-busy]').first().waitFor({ state: 'detached' })
    const buttons = await reader.page.getByRole('button').allInnerTexts()
    expect(buttons.filter((name) => !/^(Copy|Sign out)/.test(name.trim()))).toEqual([])
    await reader.close()
  })
})

describeEveryPage(() => ({ morning, watched }))
describeMishaps(() => ({ morning }))
describeColleagues(() => ({ morning }))

describe('every opened page', () => {
  it('broke no policy, ran no foreign script, logged no error and called no other origin', async () => {
    expect(opened.flatMap(({ violations }) => violations)).toEqual([])
    expect(await operator.page.evaluate('window.attacked')).toBeUndefined()
    expect(opened.flatMap(({ errors }) => errors.filter((text) => !/status of 4\d\d/.test(text)))).toEqual([])
    expect(opened.flatMap(({ foreign }) => foreign)).toEqual([])
  })

  it('sent only requests that the OpenAPI document describes', () => {
    const traffic = opened.flatMap((person) => person.traffic)
    expect(traffic.length).toBeGreaterThan(30)
    expect([...new Set(undescribed(description, OPS, traffic))]).toEqual([])
  })
})
