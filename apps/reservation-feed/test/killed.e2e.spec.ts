import { randomUUID } from 'node:crypto'
import type { Topic } from '@connectivity/contracts/topics'
import { eventually } from '@connectivity/testing/eventually'
import { type FeedProcess, feedProcess } from './feed-process.js'
import {
  announce,
  changesOf,
  expectComplete,
  pollDuring,
  properties,
  type TestProperty,
  VERSIONS,
} from './many-changes.js'

const TOPIC: Topic = 'connectivity.reservation-events.v1'

let feed: FeedProcess
beforeAll(async () => {
  feed = await feedProcess()
})
afterAll(() => feed.end())

describe('a feed process that is killed again and again', () => {
  it('loses nothing, repeats no stamp, skips no event, and exports its states as metrics', async () => {
    const all = properties()
    await rememberWritten()
    await announce(feed, all)
    const writing = (async () => {
      for (let version = 1; version <= VERSIONS; version++) {
        await feed.book(all.flatMap((property) => changesOf(property, version)))
        if (version % 3 === 0) {
          await feed.service.kill()
          await feed.service.start()
        }
      }
    })()
    await expectComplete(await pollDuring(feed, all, writing))
    await expectGaplessEvents(all)
    await expectStates(all.flatMap(({ connectionIds }) => connectionIds).length)
  })
})

/** The process reads the states when it starts, and every 10 s. */
const expectStates = (live: number): Promise<void> =>
  eventually(async () => {
    const text = await (await fetch(`${feed.service.url}/metrics`)).text()
    expect(text).toMatch(new RegExp(`^connectivity_feed_connections\\{state="live"\\} ${live}$`, 'm'))
    expect(text).toMatch(/^connectivity_feed_head_age_seconds\{connection="[^"]+"\} /m)
  })

interface SentEvent {
  id: string
  data: { sequence: number }
}

/** Makes the database record the events of its feed: other tests' feeds publish for some of the same connections. */
const rememberWritten = () =>
  feed.sql.query(`
    CREATE TABLE written_event (id text PRIMARY KEY);
    CREATE FUNCTION remember_written() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
      $$ BEGIN INSERT INTO written_event VALUES (NEW.value::json ->> 'id'); RETURN NULL; END $$;
    CREATE TRIGGER remember_written AFTER INSERT ON outbox FOR EACH ROW
      WHEN (NEW.topic = '${TOPIC}') EXECUTE FUNCTION remember_written()`)

async function expectGaplessEvents(all: readonly TestProperty[]): Promise<void> {
  const published = new Map(all.flatMap(({ connectionIds }) => connectionIds.map((id) => [id, [] as number[]])))
  const { rows } = await feed.sql.query<{ connection_id: string; last_sequence: string }>(
    'SELECT connection_id, last_sequence FROM feed_connection',
  )
  const last = new Map(rows.map(({ connection_id, last_sequence }) => [connection_id, Number(last_sequence)]))
  const written = new Set(
    (await feed.sql.query<{ id: string }>('SELECT id FROM written_event')).rows.map(({ id }) => id),
  )
  const consumer = feed.kafka.consumer({ groupId: `test-${randomUUID()}` })
  await consumer.connect()
  await consumer.subscribe({ topics: [TOPIC], fromBeginning: true })
  await consumer.run({
    eachMessage: async ({ message }) => {
      // Other tests write to this topic too, and not always JSON.
      const sequences = published.get(message.key?.toString() ?? '')
      if (!sequences) return
      const { id, data } = JSON.parse(message.value!.toString()) as SentEvent
      if (written.has(id)) sequences.push(data.sequence)
    },
  })
  // A kill between acknowledgement and deletion publishes some again; the first copy of each is in its place.
  await eventually(() => {
    for (const [id, sequences] of published)
      expect([...new Set(sequences)]).toEqual(Array.from({ length: last.get(id)! }, (_, index) => index + 1))
  })
  await consumer.disconnect()
}
