import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { Writable } from 'node:stream'
import { Pool } from 'undici'
import { AnswerMemory } from './answer-memory.service.js'
import { type AnswerReader, StreamedAnswer } from './streamed-answer.js'

let service: Server
let pool: Pool
let memory: AnswerMemory
let answerWith: (response: ServerResponse, request: IncomingMessage) => void

beforeAll(async () => {
  service = createServer((request, response) => answerWith(response, request)).listen(0, '127.0.0.1')
  await once(service, 'listening')
})
beforeEach(() => {
  pool = new Pool(`http://127.0.0.1:${(service.address() as AddressInfo).port}`, { connections: 1 })
})
beforeEach(() => void (memory = new AnswerMemory()))
afterEach(() => pool.destroy())
/** No bytes stay kept, however the answer ended. */
afterEach(() => expect(memory.keptBytes).toBe(0))
afterAll(() => service.close())

/** Takes each chunk only when the test allows it. */
class Reader extends Writable {
  readonly chunks: Buffer[] = []
  private next: (() => void) | null = null
  constructor(private readonly reads: boolean) {
    super({ highWaterMark: 1024 })
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.chunks.push(chunk)
    if (this.reads) setImmediate(done)
    else this.next = done
  }

  readOn(): void {
    const { next } = this
    this.next = null
    next?.()
  }
}

const bytesOf = ({ chunks }: Reader): number => chunks.reduce((sum, { length }) => sum + length, 0)

function ask(reader: Writable): { answer: StreamedAnswer; status: () => number } {
  let status = 0
  const begin = (code: number) => {
    status = code
    return reader
  }
  const answer = new StreamedAnswer({ account: { applicationId: 'a', memory }, begin })
  pool.dispatch({ path: '/', method: 'GET' }, answer)
  return { answer, status: () => status }
}

/**
 * Asks through a server, as a client does.
 * @returns bytes that arrive, and the chunks that were written to the client
 */
async function askOverHttp(reader: AnswerReader | null): Promise<{ bytes: number; chunks: Buffer[] }> {
  const chunks: Buffer[] = []
  const end = Promise.withResolvers<void>()
  const front = createServer((_request, response) => {
    const write = response.write.bind(response) as (...args: unknown[]) => boolean
    response.write = (...args: unknown[]) => {
      chunks.push(args[0] as Buffer)
      return write(...args)
    }
    const begin = () => {
      answer.reader = reader
      return response.writeHead(200)
    }
    const answer = new StreamedAnswer({ account: { applicationId: 'a', memory }, begin })
    pool.dispatch({ path: '/', method: 'GET' }, answer)
    void answer.done.then(end.resolve)
  }).listen(0, '127.0.0.1')
  await once(front, 'listening')
  const answered = await fetch(`http://127.0.0.1:${(front.address() as AddressInfo).port}`)
  const { byteLength: bytes } = await answered.arrayBuffer()
  await end.promise
  front.close()
  return { bytes, chunks }
}

const BODY = Buffer.alloc(3_000_000, 'a')

describe('an answer', () => {
  it('arrives complete, and is done when all of it has been read', async () => {
    answerWith = (response) => response.writeHead(201).end(BODY)
    const reader = new Reader(true)
    const { answer, status } = ask(reader)
    await answer.done
    expect({ status: status(), bytes: bytesOf(reader), finished: reader.writableFinished }).toEqual({
      status: 201,
      bytes: BODY.length,
      finished: true,
    })
  })

  it('frees the connection when the service has sent everything, however slowly the client reads', async () => {
    answerWith = (response) => response.writeHead(200).end(BODY)
    const reader = new Reader(false)
    const { answer } = ask(reader)
    await answer.released
    const kept = memory.keptBytes
    let isDone = false
    void answer.done.then(() => (isDone = true))
    await turn()
    expect({ kept, isDone }).toEqual({ kept: BODY.length, isDone: false })
    while (!isDone) {
      reader.readOn()
      await turn()
    }
    expect(bytesOf(reader)).toBe(BODY.length)
  })

  it('frees long chunks that its client has read, unless a second reader has them', async () => {
    answerWith = (response) => response.writeHead(200).end(BODY)
    for (const reader of [null, { read: () => undefined, end: () => undefined }]) {
      const { bytes, chunks } = await askOverHttp(reader)
      const unfreed = chunks.reduce((sum, { length }) => sum + length, 0)
      expect(bytes).toBe(BODY.length)
      if (reader) expect(unfreed).toBe(BODY.length)
      else expect(unfreed).toBeLessThan(BODY.length / 10)
    }
  })

  it('leaves its chunks to a sink that keeps them', async () => {
    answerWith = (response) => response.writeHead(200).end(BODY)
    const reader = new Reader(true)
    await ask(reader).answer.done
    expect(Buffer.concat(reader.chunks).equals(BODY)).toBe(true)
  })

  it('begins after informational responses of the service', async () => {
    answerWith = (response) => {
      response.writeEarlyHints({ link: '</a>' })
      response.writeHead(204).end()
    }
    const { answer, status } = ask(new Reader(true))
    await answer.done
    expect(status()).toBe(204)
  })

  it('larger than a page is read from the service only as fast as the client reads', async () => {
    let written = 0
    answerWith = (response) => {
      const more = () => {
        if (written >= 200_000_000) return
        written += BODY.length
        if (response.write(BODY)) more()
        else response.once('drain', more)
      }
      more()
    }
    const reader = new Reader(false)
    const { answer } = ask(reader)
    answer.done.catch(() => undefined)
    while (reader.chunks.length === 0) await turn()
    for (let taken = 0; taken < 20; taken++) {
      reader.readOn()
      for (let turns = 0; turns < 20; turns++) await turn()
    }
    expect({ some: written > 0, written }).toEqual({ some: true, written: Math.min(written, 50_000_000) })
    answer.cancel(new Error('enough'))
  })

  it('that breaks off rejects with the cause', async () => {
    answerWith = (response) => {
      response.writeHead(200, { 'content-length': 10 }).write('half')
      setTimeout(() => response.destroy(), 20)
    }
    await expect(ask(new Reader(true)).answer.done).rejects.toThrow('other side closed')
  })

  it('without a reader is cancelled at the service', async () => {
    const left = Promise.withResolvers<void>()
    const reader = new Reader(true)
    answerWith = (response, request) => {
      request.socket.once('close', () => left.resolve())
      response.write('a')
      reader.destroy()
      setTimeout(() => response.write('b'), 20)
    }
    await expect(ask(reader).answer.done).rejects.toThrow('no longer reads')
    await left.promise
  })
})

describe('an answer without a body', () => {
  it('ends even when the client is gone', async () => {
    answerWith = (response) => response.writeHead(304).end()
    const reader = new Reader(true)
    reader.destroy()
    const { answer } = ask(reader)
    await expect(answer.done).rejects.toThrow('no longer reads')
    await answer.released
  })
})

describe('a cancelled request', () => {
  it('is aborted at the service', async () => {
    const came = Promise.withResolvers<void>()
    const left = Promise.withResolvers<void>()
    answerWith = (_response, request) => {
      request.socket.once('close', () => left.resolve())
      came.resolve()
    }
    const { answer } = ask(new Reader(true))
    await came.promise
    answer.cancel(new Error('changed my mind'))
    await expect(answer.done).rejects.toThrow('changed my mind')
    await left.promise
  })

  it('that still waits for a connection ends at once, never reaches the service, and costs no connection', async () => {
    const held: ServerResponse[] = []
    const connections = new Set<unknown>()
    answerWith = (response, { socket }) => {
      connections.add(socket)
      held.push(response)
    }
    const first = ask(new Reader(true))
    while (held.length === 0) await turn()
    const second = ask(new Reader(true))
    let isReleased = false
    void second.answer.released.then(() => (isReleased = true))
    second.answer.cancel(new Error('changed my mind'))
    await expect(second.answer.done).rejects.toThrow('changed my mind')
    expect(isReleased).toBe(false)
    held[0]!.end()
    await first.answer.done
    await second.answer.released
    const third = ask(new Reader(true))
    while (held.length === 1) await turn()
    held[1]!.end()
    await third.answer.done
    expect({ requests: held.length, connections: connections.size }).toEqual({ requests: 2, connections: 1 })
  })
})
