import { randomBytes } from 'node:crypto'
import http from 'node:http'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { median } from '@connectivity/toolkit/statistics'
import { keepFigures, takesFigures } from '@connectivity/testing/figures'
import { GatewayProcess } from './gateway-process.js'
import { call, type Partner, signatureHeaders, type SigningKey } from './partner.js'

/** Measurements of each sender. */
const ROUNDS = takesFigures ? 2_000 : 400
const WARM_UP = 100
const PATH = `${BASE_PATH}/ari`
const BODY = JSON.stringify({ b: 'Zoë/1', a: Array.from({ length: 40 }, (_, id) => ({ id, amount: '110.00' })) })
const SPACED = BODY.replaceAll(/[:,]/g, '$& ')
/** Body that is longer than the part kept under an unknown key. */
const LONG = 'x'.repeat(200 * 1024)

describe('the cost of a signature that does not match', () => {
  const gateway = new GatewayProcess()
  let partner: Partner

  const sent = (
    given: SigningKey,
    agent: http.Agent,
    body: string,
    signed: string,
  ): Promise<{ milliseconds: number; text: string }> => {
    const headers = signatureHeaders(given, PATH, { method: 'POST', body: signed })
    const began = performance.now()
    return new Promise((resolve, reject) => {
      const { hostname, port } = new URL(gateway.origin)
      const request = http.request({ hostname, port, method: 'POST', path: PATH, headers, agent }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => (text += part))
        response.on('end', () => resolve({ milliseconds: performance.now() - began, text }))
      })
      request.on('error', reject).end(body)
    })
  }

  beforeAll(async () => {
    await gateway.start({ FAILED_AUTH_PER_MINUTE: '1000000' })
    partner = await gateway.partner()
  })
  afterAll(() => gateway.stop())

  /** Standard error of the median of many measurements, from the quartiles; outliers do not move it. */
  function noiseOf(measured: readonly number[]): number {
    const sorted = measured.toSorted((a, b) => a - b)
    const quartile = (share: number) => sorted[Math.floor(sorted.length * share)]!
    return (1.2533 * (quartile(0.75) - quartile(0.25))) / 1.349 / Math.sqrt(sorted.length)
  }

  /** Sends bodies in the name of each sender and compares the medians. */
  async function compare(name: string, senders: Record<string, () => SigningKey>, [body, signed]: [string, string]) {
    const times = new Map(Object.keys(senders).map((sender) => [sender, [] as number[]]))
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    const names = Object.keys(senders)
    // Each round begins with another sender, so that busy moments and new connections affect all alike; the first
    // rounds warm up.
    for (let round = -WARM_UP; round < ROUNDS; round++)
      for (let turn = 0; turn < names.length; turn++) {
        const sender = names[(round + WARM_UP + turn) % names.length]!
        const { milliseconds, text } = await sent(senders[sender]!(), agent, body, signed)
        expect(text.includes('"hint"')).toBe(sender === 'known')
        if (round >= 0) times.get(sender)!.push(milliseconds)
      }
    agent.destroy()
    const figures = Object.fromEntries([...times].map(([sender, all]) => [sender, median(all)]))
    const noise = Math.max(...[...times.values()].map(noiseOf))
    keepFigures(name, { ...figures, noise })
    const medians = Object.values(figures)
    // Six standard errors of a difference: without equal work the medians are a millisecond apart.
    expect(Math.max(...medians) - Math.min(...medians)).toBeLessThan(6 * Math.SQRT2 * noise)
  }

  const strangers = (key: SigningKey) => ({
    wrong: () => ({ ...key, signing_secret: 'wrong' }),
    unknown: () => ({ ...key, key_id: 'key_unknown' }),
    invented: () => ({ ...key, key_id: `key_${randomBytes(22).toString('hex')}` }),
  })

  it('is the same for a known key with a mistake, a wrong secret and an unknown key', async () => {
    const senders = { known: () => partner.key, ...strangers(partner.key) }
    await compare('signatures that do not match', senders, [BODY, SPACED])
  }, 600_000)

  it('is the same for a wrong secret and an unknown key, also for a long body', async () => {
    await compare('signatures of long bodies that do not match', strangers(partner.key), [LONG, BODY])
  }, 600_000)
})

describe('an address over the limit of failures', () => {
  const gateway = new GatewayProcess()
  beforeAll(() => gateway.start({ FAILED_AUTH_PER_MINUTE: '5' }))
  afterAll(() => gateway.stop())

  it('gets no signature examined', async () => {
    const headers = signatureHeaders({ key_id: 'key_unknown', signing_secret: 'x' }, PATH)
    const statuses: number[] = []
    // Over the limit most connections are closed unanswered.
    const statusOf = () =>
      call(gateway.origin, PATH, { headers }).then(
        ({ status }) => status,
        () => 0,
      )
    for (let count = 0; count < 20; count++) statuses.push(await statusOf())
    expect(statuses).toContain(429)
    const refused = statuses.filter((status) => status === 401).length
    expect(await gateway.metrics()).toContain(`connectivity_signature_examinations_total{hint="none"} ${refused}\n`)
  })
})
