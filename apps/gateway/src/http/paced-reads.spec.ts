import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { jest } from '@jest/globals'
import { PacedReads } from './paced-reads.js'

const READ = 64 * 1024

describe('reads of long bodies', () => {
  beforeEach(() => void jest.useFakeTimers())
  afterEach(() => void jest.useRealTimers())

  /** Requests that have been read from once each; every further read of one is 64 KiB. */
  function requests(count: number, reads: PacedReads): IncomingMessage[] {
    return Array.from({ length: count }, () => {
      const request = new Readable({ read: () => undefined }).resume() as IncomingMessage
      const resume = request.resume.bind(request)
      jest.spyOn(request, 'resume').mockImplementation(() => {
        resume()
        reads.count(request, READ)
        return request
      })
      reads.count(request, READ)
      return request
    })
  }
  const paused = (all: IncomingMessage[]) => all.filter((request) => request.isPaused()).length

  it('go on without delay up to the most of a round', () => {
    expect(paused(requests(2, new PacedReads(2 * READ)))).toBe(0)
  })

  it('beyond it wait for later rounds, in turn', () => {
    const reads = new PacedReads(2 * READ)
    const all = requests(6, reads)
    expect(all.map((request) => request.isPaused())).toEqual([false, false, true, true, true, true])
    const resumed = () => all.map(({ resume }) => (resume as jest.Mock).mock.calls.length)
    jest.advanceTimersByTime(10)
    expect(resumed()).toEqual([0, 0, 1, 1, 0, 0])
    jest.advanceTimersByTime(10)
    expect(resumed()).toEqual([0, 0, 1, 1, 1, 1])
    jest.advanceTimersByTime(10)
    expect(resumed()).toEqual([0, 0, 1, 1, 1, 1])
    expect(paused(all)).toBe(0)
  })

  it('are not resumed when the request is forgotten', () => {
    const reads = new PacedReads(0)
    const [request] = requests(1, reads)
    reads.forget(request!)
    jest.advanceTimersByTime(100)
    expect(paused([request!])).toBe(1)
  })

  it('need no timer while nothing is read', () => {
    requests(1, new PacedReads(READ))
    expect(jest.getTimerCount()).toBe(1)
    jest.advanceTimersByTime(20)
    expect(jest.getTimerCount()).toBe(0)
  })
})
