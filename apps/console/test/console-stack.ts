import { type Browser, type BrowserContextOptions, startBrowser } from '@connectivity/toolkit/browser'
import { WatchedPage } from '@connectivity/testing/watched-page'
import { WholeStack } from '@connectivity/testing/whole-stack'
import { Client } from 'pg'

export const OPS = '/ops/v1'

/** The part of a stack's demo.json that operators need. */
interface Demo {
  base_url: string
  ops: { base_url: string; token: string; read_token: string }
  postgres: Record<string, string>
}

/** A running system, a browser, and the problems that an operator finds in the morning. */
export class ConsoleStack {
  private constructor(
    readonly stack: WholeStack,
    private readonly browser: Browser,
  ) {}

  static async start(): Promise<ConsoleStack> {
    const [stack, browser] = await Promise.all([WholeStack.start(), startBrowser()])
    return new ConsoleStack(stack, browser)
  }

  async stop(): Promise<void> {
    await this.browser.close()
    await this.stack.stop()
  }

  get demo(): Demo {
    return this.stack.demo as unknown as Demo
  }

  private get origin(): string {
    return new URL(this.demo.ops.base_url).origin
  }

  open(options: BrowserContextOptions = {}): Promise<WatchedPage> {
    return WatchedPage.open(this.browser, { origin: this.origin, api: OPS }, options)
  }

  /** Opens the page at this path as a signed-in operator. */
  async operator(path: string, options: BrowserContextOptions = {}, token = this.demo.ops.token): Promise<WatchedPage> {
    const operator = await this.open(options)
    await operator.goto(path)
    await operator.page.getByLabel('Operator token').fill(token)
    await operator.page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await operator.page.getByRole('button', { name: 'Sign out' }).waitFor()
    return operator
  }

  async operate<T>(method: string, path: string, body: object): Promise<T> {
    const { base_url, token } = this.demo.ops
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(base_url + path, { method, headers, body: JSON.stringify({ ...body, reason: 'test' }) })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as T
  }

  /** Registers a callback of the first property as its partner does. */
  async register(url: string): Promise<void> {
    const { property_id, oauth } = this.stack.connection
    const api = `${this.demo.base_url}/api/connectivity/v1`
    const granted = await fetch(`${api}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', ...oauth }),
    })
    const { access_token } = (await granted.json()) as { access_token: string }
    const answer = await fetch(`${api}/properties/${property_id}/callback`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${access_token}`,
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
      },
      body: JSON.stringify({ url }),
    })
    if (!answer.ok) throw new Error(`callback: ${answer.status} ${await answer.text()}`)
  }

  /** A connection in pilot whose partner has not polled for two hours. @returns its id */
  async silentConnection(): Promise<string> {
    const { application_id } = this.stack.demo.applications[1]!
    const { source_property_id } = this.stack.connection
    const { property_id } = await this.operate<{ property_id: string }>('POST', '/connections', {
      ...{ application_id, source_property_id, external_property_id: 'SILENT', environment: 'sandbox' },
    })
    await this.operate('POST', `/connections/${property_id}/transitions`, { to: 'pilot' })
    const early = `UPDATE connection SET created_at = now() - interval '2 hours' WHERE connection_id = $1`
    await this.sql('gateway', early, [property_id])
    return property_id
  }

  /** Runs a statement on the database of a service. */
  async sql(service: string, text: string, values: unknown[] = []): Promise<void> {
    const client = new Client({ connectionString: this.demo.postgres[service]! })
    await client.connect()
    await client.query(text, values).finally(() => client.end())
  }
}
