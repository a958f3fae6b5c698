import { get, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { CHANGES_PATH } from '@connectivity/contracts/waiting'
import { eventually } from '@connectivity/testing/eventually'
import fastify, { type FastifyInstance } from 'fastify'
import { ChangeStream } from './change-stream.routes.js'

describe('a change stream', () => {
  let server: FastifyInstance
  let stream: ChangeStream
  let address: string
  beforeEach(async () => {
    server = fastify({ forceCloseConnections: true })
    stream = new ChangeStream({ httpAdapter: { getInstance: () => server } } as never)
    stream.onModuleInit()
    address = await server.listen({ port: 0, host: '127.0.0.1' })
  })
  afterEach(async () => {
    await stream.onModuleDestroy()
    await server.close()
  })

  async function open(): Promise<IncomingMessage> {
    const [answer] = (await once(get(`${address}${CHANGES_PATH}`, { agent: false }), 'response')) as [IncomingMessage]
    return answer
  }

  it('says every second whether it is current', async () => {
    const reader = await open()
    let received = ''
    reader.setEncoding('utf8').on('data', (text: string) => (received += text))
    let isCurrent = true
    stream.currentWhile(() => isCurrent)
    await eventually(() => expect(received).toMatch(/=\n$/))
    isCurrent = false
    await eventually(() => expect(received).toMatch(/=\n\n$/))
    reader.destroy()
  })

  it('ends when the service stops, and so does one that is opened afterwards', async () => {
    const early = await open()
    stream.changed('con_1 con_2')
    await stream.onModuleDestroy()
    expect(await text(early)).toBe('\ncon_1 con_2\n')
    expect(await text(await open())).toBe('\n')
  })

  it('is not written to after its end', async () => {
    const { promise, resolve } = Promise.withResolvers<ServerResponse>()
    server.server.prependOnceListener('request', (_request, response) => resolve(response))
    const reader = await open()
    const response = await promise
    const errors: unknown[] = []
    response.on('error', (error) => errors.push(error))
    await stream.onModuleDestroy()
    stream.changed('con_1')
    expect(await text(reader)).toBe('\n')
    expect(errors).toEqual([])
  })
})
