import { type Browser, type BrowserContextOptions, startBrowser } from '@connectivity/toolkit/browser'
import type { DemoFile } from '@connectivity/toolkit/hand-over'
import { send } from '@connectivity/toolkit/partner'
import { WatchedPage } from '@connectivity/testing/watched-page'
import { WholeStack } from '@connectivity/testing/whole-stack'
import { Client } from 'pg'

export const OPS = '/ops/v1'

interface DeadLetters {
  dead_letters: { id: string; offset: number }[]
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

  get demo(): DemoFile {
    return this.stack.demo
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

  /** Registers a callback of the first property as its partner does. */
  async register(url: string): Promise<void> {
    const { property_id, signing } = this.stack.connection
    const options = { body: { url }, key: crypto.randomUUID() }
    const { status } = await send(this.demo.base_url, 'PUT', `/properties/${property_id}/callback`, signing, options)
    if (status >= 300) throw new Error(`callback: ${status}`)
  }

  /** A connection in pilot whose partner has not polled for two hours. @returns its id */
  async silentConnection(): Promise<string> {
    const { application_id } = this.stack.demo.applications[1]!
    const { source_property_id } = this.stack.connection
    const wanted = { application_id, source_property_id, external_property_id: 'SILENT' }
    const property_id = await this.stack.operators.connect(wanted)
    const early = `UPDATE connection SET created_at = now() - interval '2 hours' WHERE connection_id = $1`
    await this.sql('gateway', early, [property_id])
    return property_id
  }

  /** A message that the reservation feed could not use. @returns the id of its dead letter */
  async deadLetter(offset: number, reason: string, value = '{}'): Promise<string> {
    const insert = `INSERT INTO dead_letter (topic, partition, message_offset, key, value, reason)
      VALUES ('booking.reservations.v1', 0, $1, $2, $3, $4)`
    await this.sql('reservation-feed', insert, [offset, Buffer.from('prop_gone'), Buffer.from(value), reason])
    const { dead_letters } = await this.stack.operators.call<DeadLetters>('GET', '/dead-letters')
    return dead_letters.find((letter) => letter.offset === offset)!.id
  }

  /** Runs a statement on the database of a service. */
  async sql(service: keyof DemoFile['postgres'], text: string, values: unknown[] = []): Promise<void> {
    const client = new Client({ connectionString: this.demo.postgres[service] })
    await client.connect()
    await client.query(text, values).finally(() => client.end())
  }
}
