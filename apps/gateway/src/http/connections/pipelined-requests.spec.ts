import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { eventually } from '@connectivity/testing/eventually'
import { closeAfterAnswer } from './lingering-close.js'
import { limitPipelining, MAX_IN_FLIGHT, MAX_WAITING } from './pipelined-requests.js'

describe('pipelined requests', () => {
  let server: Server
  let client: Socket
  let received: string
  let open: ServerResponse[]
  let begun: number
  /** All that Node has parsed. */
  let parsed: IncomingMessage[]

  beforeEach(async () => {
    ;[received, open, begun, parsed] = ['', [], 0, []]
    server = createServer((_request, response) => {
      begun += 1
      open.push(response)
    })
    limitPipelining(server)
    server.prependListener('request', (request) => parsed.push(request))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    reconnect()
  })
  afterEach(() => {
    client.destroy()
    server.close()
  })

  const reconnect = () => {
    client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    client.on('data', (chunk: Buffer) => (received += chunk.toString()))
    client.on('error', () => undefined)
  }
  const send = (count: number) => client.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n'.repeat(count))
  const answers = () => received.match(/HTTP\/1\.1 200/g)?.length ?? 0
  const answerAll = () => {
    for (const response of open.splice(0)) response.end('x')
  }

  it('are handled eight at a time, and all answered', async () => {
    send(100)
    await eventually(() => expect(begun).toBe(MAX_IN_FLIGHT))
    await eventually(() => {
      expect(open.length).toBeLessThanOrEqual(MAX_IN_FLIGHT)
      answerAll()
      expect(answers()).toBe(100)
    })
  })

  it('are accepted up to a limit, and the answer to the last one ends the connection', async () => {
    send(2_000)
    await eventually(() => {
      answerAll()
      expect(received).toMatch(/connection: close/i)
    })
    expect(answers()).toBe(MAX_IN_FLIGHT + MAX_WAITING)
    expect(begun).toBe(MAX_IN_FLIGHT + MAX_WAITING)
  })

  it('that follow the last answer of a connection are dropped', async () => {
    send(20)
    await eventually(() => expect(begun).toBe(MAX_IN_FLIGHT))
    closeAfterAnswer(open[0]!.req, open[0]!)
    answerAll()
    await once(client, 'end')
    expect([answers(), begun]).toEqual([1, MAX_IN_FLIGHT])
  })

  it('that get no answer cost no error each when the connection closes', async () => {
    const limit = Error.stackTraceLimit
    let traces = limit
    server.once('connection', (socket) => socket.on('close', () => (traces = Error.stackTraceLimit)))
    client.destroy()
    reconnect()
    send(2_000)
    await eventually(() => expect(begun).toBe(MAX_IN_FLIGHT))
    client.resetAndDestroy()
    await eventually(() => expect(parsed[0]!.errored).not.toBeNull())
    expect(parsed.length).toBeGreaterThan(MAX_IN_FLIGHT + MAX_WAITING)
    expect(parsed.slice(MAX_IN_FLIGHT).filter(({ errored }) => errored)).toEqual([])
    // Jest's `Error` is not the one of Node's own code, whose errors therefore have traces here.
    expect([traces, Error.stackTraceLimit]).toEqual([0, limit])
  })
})
