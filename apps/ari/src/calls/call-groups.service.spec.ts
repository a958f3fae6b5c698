import { jest } from '@jest/globals'
import { connectionCatalog } from '../../test/catalog.js'
import { propertyCatalog } from '../catalogs/property-catalog.js'
import type { Call } from '../writing/call.js'
import { CallGroups } from './call-groups.service.js'
import type { Outcome } from '../writing/group-judgement.js'
import type { GroupWriter } from '../writing/group-writer.service.js'
import type { Locking } from '../cells/property.store.js'
import { PATIENCE, PropertyTurns } from './property-turns.service.js'
import { WriterPlaces } from './writer-places.service.js'

/** Longer than a group waits for company, ms. */
const SETTLED_AFTER = 10
const settled = () => new Promise((resolve) => setTimeout(resolve, SETTLED_AFTER))

/** A call whose idempotency key names it. */
function callOf(key: string, connection = 'con_a', property = 'prop_a'): Call {
  const catalog = propertyCatalog(connectionCatalog({ connection_id: connection, property_id: property }))
  const mutation = { applicationId: 'app', method: 'POST', path: '/ari', key, fingerprint: '', correlationId: '' }
  return { catalog, body: { property_id: connection, updates: [] }, mutation, traceparent: null }
}

/** A transaction of the writer that the test ends. */
interface Transaction {
  keys: string
  /** Property that it waits for. */
  waits: string | null
  /** Ends it; calls without an outcome are answered. */
  end: (outcomes?: Record<string, Outcome>) => Promise<void>
  fail: (error: Error) => Promise<void>
}

/** Groups over a writer whose transactions the test ends. */
function scripted() {
  const transactions: Transaction[] = []
  const apply = (calls: readonly Call[], locking: Locking | null) => {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome[]>()
    const keys = calls.map(({ mutation }) => mutation.key)
    const answerOf = (key: string): Outcome => ({ answer: { status: 200, headers: {}, body: key, replayed: false } })
    transactions.push({
      keys: keys.join(' '),
      waits: locking && locking.propertyId,
      end: async (outcomes = {}) => {
        resolve(keys.map((key) => outcomes[key] ?? answerOf(key)))
        await settled()
      },
      fail: async (error) => {
        reject(error)
        await settled()
      },
    })
    return promise
  }
  const groups = new CallGroups(new PropertyTurns(), new WriterPlaces(), { apply } as unknown as GroupWriter)
  const answered: string[] = []
  const refused: string[] = []
  const send = (...calls: Call[]) => {
    for (const call of calls)
      groups.apply(call).then(
        ({ body }) => answered.push(body),
        (error: Error) => refused.push(`${call.mutation.key}: ${error.message}`),
      )
    return settled()
  }
  const seen = () => transactions.map(({ keys, waits }) => (waits ? `${keys} waits for ${waits}` : keys))
  return { groups, transactions, answered, refused, send, seen }
}

const fault = Object.assign(new Error('invalid byte sequence'), { code: '22021' })
const outage = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })

describe('small calls', () => {
  it('that arrive while a group is applied form the next one, in the order of arrival', async () => {
    const { transactions, answered, send, seen } = scripted()
    await send(callOf('1'), callOf('2'))
    await send(callOf('3'), callOf('4', 'con_b', 'prop_b'))
    await send(callOf('5'))
    await transactions[0]!.end()
    await transactions[1]!.end()
    expect(seen()).toEqual(['1 2', '4 3 5'])
    expect(answered).toEqual(['1', '2', '4', '3', '5'])
  })

  it('of a locked property wait for it alone, while the others continue', async () => {
    const { transactions, answered, send, seen } = scripted()
    await send(callOf('held'), callOf('free', 'con_b', 'prop_b'))
    await transactions[0]!.end({ held: 'busy' })
    expect(answered).toEqual(['free'])
    await send(callOf('later'), callOf('more', 'con_b', 'prop_b'))
    expect(seen()).toEqual(['held free', 'held waits for prop_a', 'more'])
    await transactions[2]!.end()
    await transactions[1]!.end()
    expect(seen().at(-1)).toBe('later')
    expect(answered).toEqual(['free', 'more', 'held'])
  })

  it('are retried separately when their group fails: by connection, then one by one', async () => {
    const { transactions, answered, refused, send, seen } = scripted()
    await send(callOf('1'), callOf('bad'), callOf('3'), callOf('4', 'con_b', 'prop_b'))
    await transactions[0]!.fail(fault)
    expect(seen().slice(1)).toEqual(['1 bad 3 waits for prop_a', '4 waits for prop_b'])
    await transactions[2]!.end()
    await transactions[1]!.fail(fault)
    await transactions[3]!.end()
    await transactions[4]!.fail(fault)
    await transactions[5]!.end()
    expect(seen().slice(3)).toEqual(['1 waits for prop_a', 'bad waits for prop_a', '3 waits for prop_a'])
    expect([answered, refused]).toEqual([['4', '1', '3'], ['bad: invalid byte sequence']])
  })

  it('are all refused while the database is unreachable, and later ones are tried again', async () => {
    const { transactions, answered, refused, send, seen } = scripted()
    await send(callOf('1'), callOf('2'), callOf('3', 'con_b', 'prop_b'))
    await transactions[0]!.fail(outage)
    expect(refused).toEqual(['1', '2', '3'].map((key) => `${key}: connect ECONNREFUSED`))
    await send(callOf('4'))
    await transactions[1]!.end()
    expect([seen(), answered]).toEqual([['1 2 3', '4'], ['4']])
  })

  it('are refused at once when 32 of their connection wait, and those of another connection are not', async () => {
    const { transactions, refused, send } = scripted()
    await send(callOf('0'))
    await send(...Array.from({ length: 33 }, (_, index) => callOf(String(index + 1))), callOf('other', 'con_b'))
    expect(refused).toEqual([expect.stringMatching(/^33: 32 calls of this connection wait already/)])
    await transactions[0]!.end()
    expect(transactions[1]!.keys).toMatch(/^other 1 2 .* 31 32$/)
  })

  it('run after other work of their connection that took its turn earlier', async () => {
    const { groups, transactions, send, seen } = scripted()
    await send(callOf('1'))
    await send(callOf('2'))
    groups.close('con_a')
    await send(callOf('3'))
    await transactions[0]!.end()
    await transactions[1]!.end()
    expect(seen()).toEqual(['1', '2', '3'])
  })

  it('are all refused, and not applied after later ones, when the first of their group has waited too long', async () => {
    const { groups, transactions, refused, send, seen } = scripted()
    await send(callOf('1'))
    const lateAfter = 50
    jest.spyOn(Date, 'now').mockReturnValueOnce(Date.now() - PATIENCE + lateAfter)
    await send(callOf('2'), callOf('3'))
    groups.close('con_a')
    await send(callOf('4'))
    await new Promise((resolve) => setTimeout(resolve, lateAfter))
    await transactions[0]!.end()
    await transactions[1]!.end()
    expect(seen()).toEqual(['1', '4'])
    expect(refused).toEqual([expect.stringMatching(/^2: /), expect.stringMatching(/^3: /)])
  })
})
