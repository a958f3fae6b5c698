import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { FeedPage } from '@connectivity/contracts/reservation'
import { callbackKeyOf, callbackSignatureHeaders } from '@connectivity/signing'
import { eventually } from '@connectivity/testing/eventually'
import { blocksOf, output } from '../programs.js'
import type { System } from './system.js'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const readme = readFileSync(`${ROOT}README.md`, 'utf8')

/** Blocks of a chapter of the README. */
const chapter = (title: string): string[] =>
  blocksOf(
    readme.split(/^## /m).find((text) => text.startsWith(title))!,
    'sh',
  )

/** A program that keeps running, started as in the README. */
class Staying {
  output = ''
  private readonly child

  constructor(command: string, env: Record<string, string>) {
    this.child = spawn('bash', ['-c', `exec ${command}`], {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    for (const stream of [this.child.stdout, this.child.stderr])
      stream.on('data', (chunk: Buffer) => (this.output += chunk.toString()))
  }

  async printed(pattern: RegExp): Promise<void> {
    await eventually(() => expect(this.output).toMatch(pattern))
  }

  /** Ends the program and what it has started. */
  async stop(): Promise<void> {
    const ended = once(this.child, 'close')
    process.kill(-this.child.pid!, 'SIGTERM')
    await ended
  }
}

/** The headers that the service would sign the same request with. */
function signatureOf({ headers }: IncomingMessage, body: Buffer, secret: string) {
  const signed = { eventId: String(headers['webhook-id']), timestamp: Number(headers['webhook-timestamp']), body }
  return callbackSignatureHeaders(signed, [callbackKeyOf(secret)])
}

/** Runs the commands of the README. */
export function describeReadme(system: () => System): void {
  const environment = () => {
    const { PATH, HOME } = system().stack.partnerEnvironment
    return { PATH: PATH!, HOME: HOME!, STATE_DIR: system().stack.file('') }
  }
  const run = (script: string) => output('bash', ['-euc', script], environment(), ROOT)

  describe('the README', () => {
    it('shows signed requests whose polls change with each booking, a token, and the pull client', async () => {
      const { stack } = system()
      const blocks = chapter('A first signed request').map((block) =>
        block.replace('/tmp/reservations.sqlite', stack.file('readme.sqlite')),
      )
      const lines = (await run(blocks.join('\n'))).split('\n')
      const pages = lines.filter((line) => line.startsWith('{"')).map((line) => JSON.parse(line) as FeedPage)
      const [first, idle, booked, modified, cancelled, withToken] = pages.map(({ reservations }) => reservations)
      expect(pages).toHaveLength(6)
      expect([first!.length, idle!.length, withToken!.length]).toEqual([5, 0, 5])
      expect(booked!.length).toBeGreaterThan(0)
      expect(modified!.at(-1)!.updated_at > booked!.at(-1)!.updated_at).toBe(true)
      expect(cancelled!.at(-1)!.status).toBe('cancelled')
      expect(lines.at(-2)).toMatch(/\d+ from the feed, up to date at \d{4}-/)
    })

    it('shows how to follow the feed in a terminal', async () => {
      const watching = new Staying('npm run --silent demo:watch', environment())
      try {
        await watching.printed(/Following the feed of con_/)
        await system().stack.book()
        await watching.printed(/\n\S+Z {2}RSV-\d+ confirmed /)
      } finally {
        await watching.stop()
      }
    })

    it('shows how to receive an event', async () => {
      const [block] = chapter('Receive your first event')
      const receiving = new Staying(block!, environment())
      try {
        await receiving.printed(/waiting for events/)
        await system().stack.book()
        await receiving.printed(/reservation\.created RSV-\d+ #\d+ processed[^]*acknowledged evt_/)
      } finally {
        await receiving.stop()
      }
    })

    it('shows operators’ commands', async () => {
      const [block] = chapter('From an operator')
      const text = await run(block!)
      for (const word of ['Demo PMS', 'application.approve', 'dead-letters']) expect(text).toContain(word)
    })
  })

  describe('the receiver with --forward-to', () => {
    it('sends events to a program on the same machine, signed with the given secret, until they are accepted', async () => {
      const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
      const received: { request: IncomingMessage; body: Buffer }[] = []
      const program = createServer((request, response) => {
        const chunks: Buffer[] = []
        request.on('data', (chunk: Buffer) => chunks.push(chunk))
        request.on('end', () => {
          received.push({ request, body: Buffer.concat(chunks) })
          response.writeHead(received.length === 1 ? 503 : 204).end()
        })
      }).listen(0, '127.0.0.1')
      await once(program, 'listening')
      const url = `http://127.0.0.1:${(program.address() as AddressInfo).port}/events`
      const env = { ...environment(), CALLBACK_SECRET: secret }
      const forwarding = new Staying(`node examples/receiver/receiver.mjs --forward-to ${url}`, env)
      try {
        await forwarding.printed(/forwarding the events of con_/)
        await system().stack.book()
        await forwarding.printed(/#\d+ → 503\n[^]*#\d+ → 204\n/)
        for (const { request, body } of received)
          expect(request.headers).toMatchObject(signatureOf(request, body, secret))
        const events = received.map(({ body }) => JSON.parse(body.toString()) as object)
        expect(events[0]).toMatchObject({ type: 'reservation.created', data: { reservation: { status: 'confirmed' } } })
        expect(events[1]).toEqual(events[0])
      } finally {
        await forwarding.stop()
        program.close()
      }
    })
  })

  describe('the examples', () => {
    const programs = ['examples/pull-client/pull-client.mjs', 'examples/receiver/receiver.mjs']

    it.each(programs)('end with one sentence when something is missing: %s', async (file) => {
      const { PATH, HOME } = environment()
      const started = new Staying(`node ${file}`, { PATH, HOME, STATE_DIR: '/nowhere' })
      await started.printed(/^(Set|No stack is running)\b[^\n]*\.\n$/)
    })

    it('pull without the SQLite of Node, as on Node 20', async () => {
      const { stack } = system()
      const env = { ...stack.partnerEnvironment, DATABASE: stack.file('package.sqlite') }
      const program = ['--no-experimental-sqlite', 'examples/pull-client/pull-client.mjs', '--once']
      const first = await output(process.execPath, program, env, ROOT)
      const again = await output(process.execPath, program, env, ROOT)
      expect(Number(/ (\d+) from the feed, up to date/.exec(first)![1])).toBeGreaterThan(100)
      expect(again).toContain(' 1 from the feed, up to date at ')
    })

    it('report an error of the service', async () => {
      const { stack } = system()
      const env = { ...stack.partnerEnvironment, SIGNING_SECRET: 'wrong', DATABASE: stack.file('refused.sqlite') }
      const started = new Staying('node examples/pull-client/pull-client.mjs', env)
      await started.printed(/\nThe service answered 401: invalid_signature\. .+ \(correlation id \S+\)\n$/)
    })
  })
}
