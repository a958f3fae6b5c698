import { documented } from './backup-page.js'

describe('the page about restores', () => {
  it('has the statements that the drill runs', () => {
    expect(documented()).toEqual({
      seen: expect.stringMatching(/^SELECT s\.connection_id, .* GROUP BY 1$/),
      createSeen: 'CREATE TEMP TABLE seen (connection_id text, sequence bigint)',
      raise: expect.stringMatching(/^UPDATE feed_connection f SET last_sequence = s\.sequence .* > f\.last_sequence$/),
      notLive: expect.stringContaining("state IN ('waiting', 'filling')"),
      versions: expect.stringMatching(/^SELECT connection_id, catalog_version, .* WHERE catalog IS NOT NULL$/),
      createKnown: 'CREATE TEMP TABLE known (connection_id text, catalog_version bigint, mapping_version bigint)',
      raiseVersions: expect.stringMatching(/^INSERT INTO catalog_version AS v SELECT \* FROM known ON CONFLICT /),
      createWritten: 'CREATE TEMP TABLE written (property_id text, revision bigint)',
      raiseRevisions: expect.stringMatching(/^INSERT INTO property AS p SELECT .* GROUP BY 1 ON CONFLICT /),
    })
  })
})
