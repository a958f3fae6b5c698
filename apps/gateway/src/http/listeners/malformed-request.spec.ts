import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { answerMalformed } from './malformed-request.js'

describe('a malformed request behind one that is still being answered', () => {
  it('is answered once, in its turn, however often the parser fails', () => {
    const socket = Object.assign(new PassThrough(), { _httpMessage: new EventEmitter() as EventEmitter | null })
    const written: string[] = []
    socket.write = (text: string) => written.push(text) > 0
    const earlier = socket._httpMessage!
    for (let packet = 0; packet < 3; packet += 1) answerMalformed(new Error('nonsense'), socket as unknown as Socket)
    expect(written).toEqual([])
    socket._httpMessage = null
    earlier.emit('finish')
    expect(written).toEqual([expect.stringMatching(/^HTTP\/1\.1 400 Bad Request\r\n/)])
    socket.destroy()
  })
})
