import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Exchanged } from './described-traffic.js'

/**
 * Part of the message that Chromium logs for a 404. Missing resources are ignored: they are not errors of the page's
 * code.
 */
const NOT_FOUND = 'status of 404'

const REPORT_VIOLATIONS = `
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) =>
    window.noteViolation([violatedDirective, blockedURI, sourceFile].join(' ')))`

/** A page in a browser context of its own, with a record of its errors and requests. */
export class WatchedPage {
  /** Errors of the console and of scripts. */
  readonly errors: string[] = []
  /** Violations of the content security policy. */
  readonly violations: string[] = []
  /** Requests below the given path that were answered. */
  readonly traffic: Exchanged[] = []
  /** Requests to other origins. */
  readonly foreign: string[] = []

  private constructor(
    readonly page: Page,
    private readonly origin: string,
    api: string,
  ) {
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes(NOT_FOUND)) this.errors.push(message.text())
    })
    // The browser asks before it leaves a page with unsaved text.
    page.on('dialog', (dialog) => void dialog.accept())
    page.on('pageerror', (error) => this.errors.push(String(error)))
    page.on('request', (request) => {
      if (!request.url().startsWith(`${origin}/`)) this.foreign.push(request.url())
    })
    page.on('response', (response) => {
      const target = response.url().slice(origin.length)
      if (!target.startsWith(api)) return
      this.traffic.push({ method: response.request().method(), target, status: response.status() })
    })
  }

  /**
   * @param origin address of the application
   * @param api path of the interface whose traffic is recorded
   */
  static async open(
    browser: Browser,
    { origin, api }: { origin: string; api: string },
    options: BrowserContextOptions = {},
  ): Promise<WatchedPage> {
    const context = await browser.newContext(options)
    await context.addInitScript(REPORT_VIOLATIONS)
    const watched = new WatchedPage(await context.newPage(), origin, api)
    await context.exposeFunction('noteViolation', (violation: string) => watched.violations.push(violation))
    return watched
  }

  /** Opens a path of the page's origin. */
  async goto(path: string): Promise<void> {
    await this.page.goto(this.origin + path)
  }

  /** Resolves when the page has this h1. */
  async heading(name: string): Promise<void> {
    await this.page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
  }

  /** Presses the button with this name. */
  async press(name: string): Promise<void> {
    await this.page.getByRole('button', { name, exact: true }).click()
  }

  /** Resolves when the page shows a text. */
  async shows(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor()
  }

  /** Findings of axe that are serious or critical. */
  async inaccessible(): Promise<string[]> {
    const { violations } = await new AxeBuilder({ page: this.page }).analyze()
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`,
      )
  }

  /** Pixels by which the page is wider than its window. */
  overflow(): Promise<number> {
    return this.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  }

  async close(): Promise<void> {
    await this.page.context().close()
  }
}
