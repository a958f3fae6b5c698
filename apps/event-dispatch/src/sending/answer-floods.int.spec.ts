import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { AddressRules, readRanges } from '../address-rules.js'
import { HttpSender } from './http-sender.client.js'

const RECEIVER = fileURLToPath(new URL('../../test/flooding-receiver.ts', import.meta.url))
const rules = { addresses: new AddressRules(readRanges(['127.0.0.0/8'])), ports: new Set<number>(), testMode: true }
/** Most CPU time of an attempt at a flooding receiver, ms; without bounds it takes seconds. */
const MOST_CPU = 40

const endless = ['hints', 'continue', 'fat-hints', 'status-line', 'headers', 'spaces', 'blank-lines']
const endlessBehindHead = ['chunk-extension', 'trailers', 'body', 'after-answer']

describe('a receiver that floods', () => {
  const children: ChildProcess[] = []
  let sender: HttpSender
  let flooding: number
  let good: number
  const start = async (): Promise<number> => {
    const child = spawn(process.execPath, ['--no-warnings', RECEIVER], { stdio: ['ignore', 'pipe', 'inherit'] })
    children.push(child)
    const [port] = (await once(child.stdout!, 'data')) as [Buffer]
    return Number(port)
  }
  const send = (port: number, path: string, callback: string) =>
    sender.send({
      ...{ callback, url: `http://127.0.0.1:${port}/${path}` },
      ...{ body: Buffer.from('{}'), headers: () => ({}) },
    })
  beforeAll(async () => {
    sender = new HttpSender(rules, async () => [])
    ;[flooding, good] = await Promise.all([start(), start()])
    for (let index = 0; index < 20; index += 1) await send(good, '', 'con_good')
  })
  afterAll(() => {
    sender.onApplicationShutdown()
    children.forEach((child) => child.kill('SIGKILL'))
  })

  it.each(endless)('with %s before the head of its answer is a protocol_error', async (path) => {
    expect(await send(flooding, path, 'con_1')).toMatchObject({ status: null, error: 'protocol_error' })
  })

  it.each(endlessBehindHead)('with %s after the head of its answer is judged by its status', async (path) => {
    expect(await send(flooding, path, 'con_1')).toMatchObject({ status: 200, error: null })
  })

  it('delays no other callback, even if there are many such receivers', async () => {
    const paths = [...endless, ...endlessBehindHead]
    let attempts = 0
    let isOver = false
    const attack = paths.map(async (path) => {
      for (; !isOver; attempts += 1) {
        await send(flooding, path, `con_${path}`)
        await delay(200)
      }
    })
    const started = process.cpuUsage()
    const took: number[] = []
    for (let index = 0; index < 100; index += 1) {
      const { status, durationMs } = await send(good, '', 'con_good')
      expect(status).toBe(204)
      took.push(durationMs)
      await delay(20)
    }
    const { user, system } = process.cpuUsage(started)
    isOver = true
    await Promise.all(attack)
    expect(Math.max(...took)).toBeLessThan(1_000)
    expect(attempts).toBeGreaterThan(paths.length)
    expect((user + system) / 1_000 / (attempts + took.length)).toBeLessThan(MOST_CPU)
  })
})
