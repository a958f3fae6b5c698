import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { eventually } from '@connectivity/testing/eventually'
import { answer, ScriptedReceiver, type Script } from '../../test/scripted-receiver.js'
import { AddressRules, readRanges } from '../address-rules.js'
import { HttpSender } from './http-sender.client.js'

const silent: Script = () => undefined
const rules = { addresses: new AddressRules(readRanges(['127.0.0.0/8'])), ports: new Set<number>(), testMode: true }
const senderWith = (resolve: (name: string) => Promise<never[]> = async () => [], limit?: number) =>
  new HttpSender(rules, resolve, limit)
const to = (url: string, callback = 'con_1') => ({ callback, url, body: Buffer.from('{}'), headers: () => ({}) })

/** Program that listens but never accepts a connection: two wait in its queue, further ones get no answer. */
const DEAF = `
  const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('node:fs').writeSync(1, String(server.address().port))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })`

/** Replaces the limit of 15 s, ms; still above every limit for a part of an attempt. */
const LIMIT = 5_000

describe('a receiver that keeps us waiting', () => {
  const receivers: ScriptedReceiver[] = []
  const children: ChildProcess[] = []
  const sender = senderWith((name) => (name === 'lost.test' ? new Promise(() => undefined) : Promise.resolve([])))
  const hasty = senderWith(undefined, LIMIT)
  const listen = async (script: Script) => {
    const receiver = await new ScriptedReceiver(script).start()
    receivers.push(receiver)
    return receiver
  }
  const deafPort = async (): Promise<number> => {
    const child = spawn(process.execPath, ['-e', DEAF], { stdio: ['ignore', 'pipe', 'inherit'] })
    children.push(child)
    const [port] = (await once(child.stdout!, 'data')) as [Buffer]
    return Number(port)
  }
  afterAll(() => {
    for (const one of [sender, hasty]) one.onApplicationShutdown()
    receivers.forEach((receiver) => receiver.stop())
    children.forEach((child) => child.kill('SIGKILL'))
  })
  const drip: Script = (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const timer = setInterval(() => socket.write('x-drip: x\r\n'), 200)
    socket.once('close', () => clearInterval(timer))
  }
  const slowHints: Script = (socket) => {
    let left = 4
    const timer = setInterval(() => left-- > 0 && socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 1_000)
    socket.once('close', () => clearInterval(timer))
  }
  const dripBody: Script = (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
    const timer = setInterval(() => socket.write('1\r\n{\r\n'), 200)
    socket.once('close', () => clearInterval(timer))
  }

  it('is given up after 3 s to connect and 15 s in all, in any phase', async () => {
    expect(sender.limit).toBe(15_000)
    const deaf = `http://127.0.0.1:${await deafPort()}/`
    const [noHello, noHead, headDrip, hints, body] = await Promise.all([
      listen(silent),
      listen(silent),
      listen(drip),
      listen(slowHints),
      listen(dripBody),
    ])
    const fill = await Promise.all([1, 2, 3].map(() => sender.send(to(deaf), { signal: AbortSignal.timeout(500) })))
    expect(fill.map(({ error }) => error)).toContain('aborted')
    const phases = {
      name: sender.send(to('http://lost.test/')),
      accept: sender.send(to(deaf)),
      hello: sender.send(to(noHello.url().replace('http:', 'https:'))),
      head: hasty.send(to(noHead.url())),
      drip: hasty.send(to(headDrip.url())),
      hints: hasty.send(to(hints.url())),
      body: hasty.send(to(body.url()), { wantsBody: true }),
    }
    const outcomes = await Promise.all(Object.values(phases))
    const took = Object.fromEntries(Object.keys(phases).map((name, index) => [name, outcomes[index]!.durationMs]))
    expect(outcomes.slice(1, 6).map(({ error, timedOut }) => [error, timedOut])).toEqual(
      Array.from({ length: 5 }, () => ['timeout', true]),
    )
    expect(outcomes[0]).toMatchObject({ error: 'blocked_address' })
    expect(outcomes[6]).toMatchObject({ status: 200, error: null })
    for (const name of ['name', 'accept', 'hello'])
      expect([name, took[name]! >= 2_990 && took[name]! < 10_000]).toEqual([name, true])
    for (const name of ['head', 'drip', 'hints', 'body'])
      expect([name, took[name]! >= LIMIT - 10 && took[name]! < 10_000]).toEqual([name, true])
    await eventually(() => expect(receivers.map(({ open }) => open)).toEqual([0, 0, 0, 0, 0]))
  })
})

describe('a callback whose receiver hangs', () => {
  it('delays neither another host nor another callback of its own host', async () => {
    const sender = senderWith()
    const script: Script = (socket, request) => (request.path === '/hangs' ? undefined : answer(204)(socket, request))
    const [shared, other] = await Promise.all([new ScriptedReceiver(script).start(), new ScriptedReceiver().start()])
    const abort = new AbortController()
    const hanging = Array.from({ length: 200 }, () =>
      sender.send(to(shared.url('127.0.0.1', '/hangs'), 'con_hanging'), { signal: abort.signal }),
    )
    await eventually(() => expect(shared.requests.length).toBe(64))
    const quick = await Promise.all([
      ...Array.from({ length: 50 }, (_, index) => sender.send(to(shared.url(), `con_${index}`))),
      ...Array.from({ length: 200 }, () => sender.send(to(other.url(), 'con_other'))),
    ])
    expect(new Set(quick.map(({ status }) => status))).toEqual(new Set([204]))
    expect(shared.requests.filter(({ path }) => path === '/hangs')).toHaveLength(64)
    let signed = 0
    const late = { ...to(shared.url(), 'con_hanging'), headers: () => ({ 'x-signed': String(++signed) }) }
    expect(await sender.send(late, { maxWait: 50 })).toMatchObject({ status: null, error: 'no_place' })
    const patient = sender.send(late, { maxWait: 60_000 })
    expect(signed).toBe(0)
    abort.abort()
    expect([await patient, signed]).toEqual([expect.objectContaining({ status: 204 }), 1])
    expect(new Set((await Promise.all(hanging)).map(({ error }) => error))).toEqual(new Set(['aborted']))
    expect(await sender.send(to(shared.url(), 'con_hanging'))).toMatchObject({ status: 204 })
    for (const receiver of [shared, other]) receiver.stop()
    sender.onApplicationShutdown()
  })
})
