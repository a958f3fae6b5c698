import {
  answerOf,
  type Column,
  Copyable,
  Facts,
  Filters,
  List,
  Loaded,
  Page,
  State,
  Time,
  useFilters,
} from '@connectivity/ui'
import { Code, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Action, type WithReason } from './action.tsx'
import { api, type Schemas } from '../api/client.ts'
import { messageText } from './texts.ts'
import { usePages } from './pages-query.ts'
import { useMayChange } from '../session/session.ts'

type Letter = Schemas['DeadLetter']

const states = ['open', 'discarded', 'replayed'] as const
const services = ['gateway', 'catalog', 'reservation-feed', 'ari', 'event-dispatch'] as const
const filters = [{ name: 'state', options: states }, { name: 'service', options: services }, { name: 'topic' }]

const columns: readonly Column<Letter>[] = [
  { header: 'Received', cell: ({ received_at }) => <Time at={received_at} /> },
  { header: 'Service', cell: ({ service }) => service },
  { header: 'Topic', cell: ({ topic }) => topic },
  { header: 'Place', cell: ({ partition, offset }) => `partition ${partition}, offset ${offset}` },
  { header: 'Key', cell: ({ key }) => key ?? 'none' },
  { header: 'Reason', cell: ({ reason }) => reason },
  { header: 'State', cell: ({ state }) => <State code={state} /> },
  { header: 'Attempts', cell: ({ attempts }) => attempts, isNumber: true },
]

/** Messages that a service could not use. */
export function DeadLetters() {
  const { state, service, topic } = useFilters(['state', 'service', 'topic'])
  const query = {
    ...(state !== undefined && { state: state as (typeof states)[number] }),
    ...(service !== undefined && { service }),
    ...(topic !== undefined && { topic }),
  }
  const letters = usePages(['dead-letters', query], (page) =>
    answerOf(api.GET('/dead-letters', { params: { query: { ...query, ...page } } })),
  )
  return (
    <Page title="Dead letters" about="Messages that a service could not use: open ones, unless a state is chosen.">
      <Filters filters={filters} error={letters.error} />
      <List
        query={letters}
        empty="No dead letters here."
        label="Dead letters"
        columns={columns}
        rowsOf={({ pages }) => pages.flatMap((page) => page.dead_letters)}
        keyOf={(row) => row.id}
        details={(letter) => <Details letter={letter} />}
      />
    </Page>
  )
}

const at = ({ service, id }: Letter) => ({ params: { path: { service, id } } })

function Details({ letter }: { letter: Letter }) {
  const replay = (withReason: WithReason) =>
    answerOf(api.POST('/dead-letters/{service}/{id}/replay', { ...at(letter), ...withReason() }))
  const discard = (withReason: WithReason) =>
    answerOf(api.POST('/dead-letters/{service}/{id}/discard', { ...at(letter), ...withReason() }))
  const [failed, setFailed] = useState<Letter | null>(null)
  const mayRead = useMayChange()
  return (
    <Stack>
      <Facts facts={[['Id', <Copyable key="id" text={letter.id} />]]} />
      {mayRead ? (
        <Message letter={letter} />
      ) : (
        <Text size="sm">You need the role connectivity:operate to see the message.</Text>
      )}
      <Text size="sm" role="status">
        {failed && `Replayed, and failed again at attempt ${failed.attempts}: ${failed.reason}`}
      </Text>
      {letter.state === 'open' && (
        <Group>
          <Action name="Replay" run={replay} onDone={(after) => setFailed(after.state === 'open' ? after : null)} />
          <Action name="Discard" run={discard} isDestructive />
        </Group>
      )}
    </Stack>
  )
}

function Message({ letter }: { letter: Letter }) {
  const whole = useQuery({
    queryKey: ['dead-letter', letter.service, letter.id],
    queryFn: () => answerOf(api.GET('/dead-letters/{service}/{id}', at(letter))),
    // Each read is an audit entry, and the bytes never change.
    staleTime: 'static',
  })
  return (
    <Loaded query={whole}>
      {({ value_base64 }) => {
        if (value_base64 === undefined) return <Text size="sm">Only operators who may change it see the message.</Text>
        const bytes = Uint8Array.from(atob(value_base64), (character) => character.charCodeAt(0))
        const text = messageText(bytes)
        return (
          <>
            <Text size="sm">
              Message, {bytes.length.toLocaleString('en')} bytes{text === null ? ', in base64' : ''}
            </Text>
            <Code block tabIndex={0} aria-label="Message">
              {text ?? value_base64}
            </Code>
          </>
        )
      }}
    </Loaded>
  )
}
