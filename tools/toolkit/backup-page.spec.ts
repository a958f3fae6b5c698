import { documented } from './backup-page.js'

describe('the page about restores', () => {
  it('has the statements that the drill runs', () => {
    expect(documented()).toEqual({
      seen: expect.stringMatching(/^SELECT s\.connection_id, .* GROUP BY 1$/),
      createSeen: 'CREATE TEMP TABLE seen (connection_id text, sequence bigint)',
      raise: expect.stringMatching(/^UPDATE feed_connection f SET last_sequence = s\.sequence .* > f\.last_sequence$/),
      notLive: expect.stringContaining("state IN ('waiting', 'filling')"),
    })
  })
})
