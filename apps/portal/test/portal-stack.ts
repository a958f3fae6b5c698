import { type Browser, type BrowserContextOptions, startBrowser } from '@connectivity/toolkit/browser'
import { BASE_PATH, pullFeed, type Query, send, type SendOptions } from '@connectivity/toolkit/partner'
import { WatchedPage } from '@connectivity/testing/watched-page'
import { WholeStack } from '@connectivity/testing/whole-stack'

export const API = BASE_PATH
export const WINDOW = { width: 1280, height: 900 }
export const PHONE = { width: 360, height: 740 }

/** Pages about one connection. */
export const PAGES = ['', 'mappings', 'availability', 'callback', 'events', 'pilot', 'reservations/RSV-1120']

/** State that the parts of the suite share. */
export interface Running {
  portal: PortalStack
  /** Page of a developer who is signed in since the first test. */
  developer: WatchedPage
  /** Registers a page whose errors and traffic are checked at the end. */
  watched: (page: WatchedPage) => WatchedPage
}

/** A running system and a browser, with the actions of operators and of partners' programs. */
export class PortalStack {
  private constructor(
    readonly stack: WholeStack,
    private readonly browser: Browser,
  ) {}

  static async start(): Promise<PortalStack> {
    const [stack, browser] = await Promise.all([WholeStack.start(), startBrowser()])
    await stack.liftLimits()
    return new PortalStack(stack, browser)
  }

  async stop(): Promise<void> {
    await this.browser.close()
    await this.stack.stop()
  }

  get connectionId(): string {
    return this.stack.connection.property_id
  }

  /** Address of a page about the connection. */
  at(page: string): string {
    return `/portal/connections/${this.connectionId}${page === '' ? '' : `/${page}`}`
  }

  open(options: BrowserContextOptions = {}): Promise<WatchedPage> {
    return WatchedPage.open(this.browser, { origin: this.stack.demo.base_url, api: API }, options)
  }

  /** A person who has signed in. */
  async person(role: 'viewer' | 'developer' = 'developer', options: BrowserContextOptions = {}): Promise<WatchedPage> {
    const person = await this.open(options)
    const { url } = await this.link(role)
    await person.page.goto(url)
    await person.page.getByRole('button', { name: 'Sign in' }).click()
    await person.heading('Connections')
    return person
  }

  /** @param application number of the demo's application */
  link(role: 'viewer' | 'developer', application = 0): Promise<{ url: string; portal_link_id: string }> {
    const { application_id } = this.stack.demo.applications[application]!
    const wanted = { email: 'ada@pms.example', role }
    return this.stack.operators.call('POST', `/applications/${application_id}/portal-links`, wanted)
  }

  /** A signed request of the partner's program. */
  async program(path: string, options: SendOptions = {}): Promise<void> {
    await send(this.stack.demo.base_url, 'GET', path, this.stack.connection.signing, options)
  }

  /** Partner's ids of the rooms that the feed shows. */
  async externalRoomIds(): Promise<(string | null)[]> {
    const { reservations } = await pullFeed(this.stack.demo.base_url, this.stack.connection)
    return [...reservations!.values()]
      .flatMap(({ accommodation }) => accommodation)
      .map(({ external_room_id }) => external_room_id)
  }

  /** The checkpoint after a pull of everything that changed since. */
  async pull(since = ''): Promise<string> {
    const bound: Query = since === '' ? {} : { updated_since: since }
    const { reservations } = await pullFeed(this.stack.demo.base_url, this.stack.connection, bound)
    return [since, ...reservations!.values().map(({ updated_at }) => updated_at)].sort().at(-1)!
  }
}
