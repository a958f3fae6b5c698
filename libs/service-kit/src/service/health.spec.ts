import { Health } from './health.js'

describe('readiness', () => {
  it('is green between the start and the stop', () => {
    const health = new Health()
    expect(health.ready()).toEqual({ service: 'starting or stopping' })
    health.markStarted()
    expect(health.ready()).toEqual({})
    health.markStopping()
    expect(health.ready()).toEqual({ service: 'starting or stopping' })
  })

  it('stays red when a stop comes before the start is over', () => {
    const health = new Health()
    health.markStopping()
    health.markStarted()
    expect(health.ready()).toEqual({ service: 'starting or stopping' })
  })
})
