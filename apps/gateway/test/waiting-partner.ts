import { LOOK_HEADER, NOTHING_NEW_HEADER } from '@connectivity/contracts/waiting'
import { eventually } from '@connectivity/testing/eventually'
import { ChangeStreams } from '../src/forwarding/waiting/change-streams.client.js'
import { requestsWaiting } from '../src/forwarding/waiting/waiting-metrics.js'
import { Changes } from '../src/live/changes.service.js'
import { GatewayUnderTest } from './gateway-under-test.js'
import type { Answer, Partner } from './partner.js'

/** A partner whose requests wait at a scripted feed, with a new connection for each test. */
export class WaitingPartner {
  readonly gateway = new GatewayUnderTest()
  readonly feed = this.gateway.feed
  application!: string
  connection!: string
  partner!: Partner
  credentialId!: string
  /** Text of the page with news; null while there is none. */
  news: string | null = null
  /** Ids of changes that the gateway has received, from its feed and from its database. */
  private readonly heard = new Set<string | null>()

  readonly start = async (): Promise<void> => {
    const { app } = await this.gateway.start()
    app.get(ChangeStreams, { strict: false }).onChange((_service, id) => this.heard.add(id))
    app.get(Changes, { strict: false }).onChange((_kind, id) => this.heard.add(id))
    this.application = await this.gateway.approvedApplication()
  }

  readonly connect = async (): Promise<void> => {
    this.connection = await this.gateway.pilotConnection(this.application, `prop_${Math.random()}`)
    const { credential_id, ...key } = await this.gateway.signingKey(this.connection)
    this.credentialId = credential_id
    this.partner = this.gateway.partner(key)
    this.news = null
    this.feed.script = (_request, response) => {
      const headers = { 'service-checkpoint': '2026-11-20T10:00:00.000Z' }
      if (this.news === null) response.writeHead(304, { ...headers, [NOTHING_NEW_HEADER]: '1' }).end()
      else response.writeHead(200, headers).end(this.news)
    }
    await this.untilQuiet(key.key_id)
  }

  readonly page = (query = '&wait=20'): string => `/reservations?property_id=${this.connection}${query}`

  /** Looks of the waiting requests of this connection: what each asks of the feed. */
  readonly looks = () =>
    this.feed.requests.filter(({ url }) => url!.includes(this.connection)).map(({ headers }) => headers[LOOK_HEADER])

  readonly untilWaiting = (count: number): Promise<void> =>
    eventually(async () => {
      const { values } = await requestsWaiting.get()
      expect(values.reduce((sum, { value }) => sum + value, 0)).toBe(count)
    })

  /** Begins a wait; resolves when it has looked once and found nothing. */
  readonly begun = async (
    query?: string,
    get: (path: string) => Promise<Answer> = (path) => this.partner.get(path),
  ): Promise<{ answer: Promise<Answer> }> => {
    const answer = get(this.page(query))
    await eventually(() => expect(this.looks()).toHaveLength(1))
    await this.untilWaiting(1)
    return { answer }
  }

  readonly publish = (text = '{"page":1}'): void => {
    this.news = text
    this.feed.changed(`con_other ${this.connection}`)
  }

  /** Sends a change of the connection; resolves when the gateway has heard of it. */
  readonly untilHeard = (connectionId: string): Promise<void> => {
    this.heard.delete(connectionId)
    this.feed.changed(connectionId)
    return eventually(() => expect(this.heard.has(connectionId)).toBe(true))
  }

  /** Waits for earlier changes, of which each would make a waiting request look once more. */
  private async untilQuiet(lastChanged: string): Promise<void> {
    const mark = `con_mark_${Math.random()}`
    await eventually(() => {
      this.feed.changed(mark)
      expect([...this.heard]).toEqual(expect.arrayContaining([mark, lastChanged]))
    })
  }
}
