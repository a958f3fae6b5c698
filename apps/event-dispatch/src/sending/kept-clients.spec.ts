import type { CallbackTarget } from './callback-target.js'
import { KeptClients } from './kept-clients.js'

const target = (name: string) => ({ origin: `https://${name}.test`, openedOnly: false }) as CallbackTarget
const nobody = { of: () => Promise.reject(new Error('connected')) } as never

describe('clients kept for later', () => {
  it('are reused, the last one used first, and never by two requests', () => {
    const clients = new KeptClients(nobody)
    const [first, second] = [clients.take(target('a')), clients.take(target('a'))]
    expect(first.client).not.toBe(second.client)
    clients.giveBack(target('a'), first)
    clients.giveBack(target('a'), second)
    expect(clients.take(target('b')).client).not.toBe(second.client)
    expect([clients.take(target('a')).client, clients.take(target('a')).client]).toEqual([second.client, first.client])
    expect(clients.size).toBe(0)
    clients.close()
  })

  it('are not shared between the two address rules for the same host', () => {
    const clients = new KeptClients(nobody)
    const opened = clients.take({ ...target('a'), openedOnly: true })
    clients.giveBack({ ...target('a'), openedOnly: true }, opened)
    expect(clients.take(target('a')).client).not.toBe(opened.client)
    clients.close()
  })

  it('number at most a thousand; the host unused longest loses its own first', () => {
    const clients = new KeptClients(nobody)
    const taken = Array.from({ length: 1_003 }, (_, index) => clients.take(target(`h${index}`)))
    taken.forEach((one, index) => clients.giveBack(target(`h${index}`), one))
    expect(clients.size).toBe(1_000)
    expect(taken.slice(0, 4).map(({ client }) => client.destroyed)).toEqual([true, true, true, false])
    clients.close()
    expect(clients.size).toBe(0)
    expect(taken.every(({ client }) => client.destroyed)).toBe(true)
  })
})
