import { EventEmitter } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@connectivity/database'
import type { IdempotentRequest } from './idempotent-request.js'
import { PreparedMutations } from './prepared-mutation.js'

const DENIED = new Error('canceling statement due to statement timeout')

/** A session whose statements all succeed, unless its deletions fail. */
class FakeSession extends EventEmitter {
  isOpen = true

  constructor(private readonly isHealthy: boolean) {
    super()
  }

  async query(text: string): Promise<unknown> {
    if (!this.isHealthy && text.includes('DELETE')) throw DENIED
    return { rows: [{ taken: true }], rowCount: 1 }
  }

  async end(): Promise<void> {
    await delay(30)
    this.isOpen = false
    this.emit('end')
  }
}

describe('the sessions that hold claims', () => {
  it('are all ended, even if one ends while the next has begun', async () => {
    const sessions: FakeSession[] = []
    const database = {
      session: async () => sessions[sessions.push(new FakeSession(sessions.length > 0)) - 1],
      transaction: () => Promise.reject(DENIED),
    }
    const mutations = new PreparedMutations(database as unknown as Database)
    const ask = () => {
      const nothing = { status: 200, headers: {}, body: '' }
      const asked = mutations.answerOnce(
        {} as IdempotentRequest,
        async () => null,
        async () => nothing,
      )
      return expect(asked).rejects.toBe(DENIED)
    }
    const first = ask()
    await delay(5)
    await ask()
    await first
    await ask()
    await mutations.onApplicationShutdown()
    expect(sessions.map(({ isOpen }) => isOpen)).toEqual([false, false])
  })
})
