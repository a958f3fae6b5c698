import { signRequest, EMPTY_BODY_HASH } from '@connectivity/signing/canonical-request'
import { type Browser, type BrowserContextOptions, startBrowser } from '@connectivity/toolkit/browser'
import { WatchedPage } from '@connectivity/testing/watched-page'
import { WholeStack } from '@connectivity/testing/whole-stack'

export const API = '/api/connectivity/v1'
export const WINDOW = { width: 1280, height: 900 }

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

  get propertyId(): string {
    return this.stack.connection.property_id
  }

  /** Address of a page about the connection. */
  at(page: string): string {
    return `/portal/connections/${this.propertyId}${page === '' ? '' : `/${page}`}`
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

  link(role: 'viewer' | 'developer'): Promise<{ url: string; portal_link_id: string }> {
    const { application_id } = this.stack.demo.applications[0]!
    return this.operate('POST', `/applications/${application_id}/portal-links`, { email: 'ada@pms.example', role })
  }

  async operate<T>(method: string, path: string, body: object): Promise<T> {
    const { base_url, token } = this.stack.demo.ops
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(base_url + path, { method, headers, body: JSON.stringify({ ...body, reason: 'test' }) })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as T
  }

  /** A signed request of the partner's program. @param signedPath path that is signed instead of the sent one */
  async program<T>(target: string, { signedPath = target.split('?', 1)[0]! } = {}): Promise<T> {
    const { key_id, signing_secret } = this.stack.connection.signing
    const timestamp = String(Math.floor(Date.now() / 1000))
    const signed = { method: 'GET', path: API + signedPath, timestamp, bodyHash: EMPTY_BODY_HASH }
    const headers = {
      'x-service-key-id': key_id,
      'x-service-timestamp': timestamp,
      'x-service-signature': signRequest(signing_secret, signed),
    }
    return (await (await fetch(this.stack.demo.base_url + API + target, { headers })).json()) as T
  }

  /** The checkpoint after a pull of everything that changed since. */
  async pull(since = ''): Promise<string> {
    interface Page {
      reservations: { updated_at: string }[]
      pagination: { next_cursor: string | null }
    }
    let checkpoint = since
    let bound = since === '' ? '' : `&updated_since=${since}`
    for (;;) {
      const page = await this.program<Page>(`/reservations?property_id=${this.propertyId}&limit=100${bound}`)
      checkpoint = page.reservations.at(-1)?.updated_at ?? checkpoint
      if (page.pagination.next_cursor === null) return checkpoint
      bound = `&cursor=${page.pagination.next_cursor}`
    }
  }
}
