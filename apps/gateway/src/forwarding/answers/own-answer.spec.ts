import { Writable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { AnswerMemory } from './answer-memory.service.js'
import { OwnAnswer } from './own-answer.js'

const KIB = 1024

describe('an answer of the gateway itself', () => {
  const memory = new AnswerMemory()
  const given = (kib: number, write: (chunk: Buffer, encoding: string, done: () => void) => void) => {
    const raw = new Writable({ write, autoDestroy: true })
    const answer = new OwnAnswer(Buffer.alloc(kib * KIB), { applicationId: 'app_1', memory }, {
      raw,
    } as unknown as FastifyReply)
    answer.stream.pipe(raw)
    return { raw, answer }
  }
  const settled = () => new Promise((resolve) => setTimeout(resolve, 20))

  it.each([40, 64, 100, 128, 300])('of %i KiB is kept until its client reads it', async (kib) => {
    const { raw, answer } = given(kib, () => undefined)
    await settled()
    expect([answer.kept, memory.keptBytes]).toEqual([kib * KIB, kib * KIB])
    raw.destroy()
    await settled()
    expect([answer.kept, memory.keptBytes, memory.applications]).toEqual([0, 0, 0])
  })

  it.each([40, 300])('of %i KiB is released once its client has read it', async (kib) => {
    const { answer } = given(kib, (_chunk, _encoding, done) => setImmediate(done))
    expect(memory.keptBytes).toBe(kib * KIB)
    await settled()
    expect([answer.kept, memory.keptBytes, memory.applications]).toEqual([0, 0, 0])
  })

  it('is dropped when its client is ended', async () => {
    const { raw, answer } = given(300, () => undefined)
    answer.end('memory')
    expect([answer.stream.destroyed, memory.keptBytes]).toEqual([true, 0])
    raw.destroy()
    await settled()
    expect(memory.keptBytes).toBe(0)
  })
})
