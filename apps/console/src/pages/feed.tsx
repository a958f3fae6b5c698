import { answerOf, Empty, Facts, Loaded, Panel, TimeOr, wordsOf } from '@connectivity/ui'
import { Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Action, type WithReason } from './action.tsx'
import { api, at } from '../api/client.ts'
import { count, reservationIdsOf } from './texts.ts'
import { useFacts } from './pages-query.ts'

/** State of a connection's feed. */
export function Feed({ id }: { id: string }) {
  const feed = useFacts(['overview', 'one', id], async () => {
    const query = { property_id: id, limit: 1 }
    return (await answerOf(api.GET('/overview', { params: { query } }))).connections[0] ?? null
  })
  return (
    <Panel title="Feed" actions={<Redeliver id={id} />}>
      <Loaded query={feed}>
        {(row) =>
          row === null ? (
            <Empty>Nothing is known of this feed yet.</Empty>
          ) : (
            <Facts
              facts={[
                ['Needs', row.needs.map(wordsOf).join(', ') || 'nothing'],
                ['Waiting', count(row.feed.waiting)],
                ['At risk', count(row.feed.at_risk)],
                ['Unresolved', count(row.feed.unresolved)],
                ['Last poll', <TimeOr key="poll" at={row.feed.last_polled_at} none="never" />],
                ['Processed to', <TimeOr key="processed" at={processed(row.feed.processed_to)} none="nothing yet" />],
                ['Last proof', <TimeOr key="proof" at={row.feed.last_proven_at} none="never" />],
                ['Lag', row.feed.lag_ms === null ? 'unknown' : `${count(row.feed.lag_ms)} ms`],
                ['Dead letters', count(row.dead_letters)],
              ]}
            />
          )
        }
      </Loaded>
    </Panel>
  )
}

/** `processed_to` of a partner that has not yet confirmed any page. */
const EPOCH = '1970-01-01T00:00:00.000Z'

const processed = (at: string | null): string | null => (at === EPOCH ? null : at)

const NOTHING = { ids: '', from: '', to: '' }

/** The reservations that the fields name: ids, or a range of arrival dates. */
function chosenOf({ ids: text, from, to }: typeof NOTHING) {
  const ids = reservationIdsOf(text)
  if (ids.length > 0) return { reservation_ids: ids }
  return { ...(from !== '' && { check_in_from: from }), ...(to !== '' && { check_in_to: to }) }
}

function Redeliver({ id }: { id: string }) {
  const [done, setDone] = useState<number | null>(null)
  const redeliver = (withReason: WithReason, fields: typeof NOTHING) =>
    answerOf(api.POST('/connections/{id}/redeliver', { ...at(id), ...withReason(chosenOf(fields)) }))
  return (
    <>
      <Text size="sm" role="status">
        {done === null ? '' : `${done.toLocaleString('en')} redelivered`}
      </Text>
      <Action name="Redeliver" run={redeliver} initial={NOTHING} onDone={({ reservations }) => setDone(reservations)}>
        {({ text }) => (
          <>
            <Textarea
              label="Reservation ids"
              description="One per line. Or leave this empty and give a range of arrival dates."
              {...text('ids')}
            />
            <TextInput label="Check in from" type="date" {...text('from')} />
            <TextInput label="Check in to" type="date" {...text('to')} />
          </>
        )}
      </Action>
    </>
  )
}
