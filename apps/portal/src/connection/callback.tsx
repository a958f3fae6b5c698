import {
  answerOf,
  Button,
  Empty,
  Facts,
  Failure,
  isNotFound,
  type KeyOf,
  Loaded,
  Page,
  Panel,
  State,
  TimeOr,
  useChange,
  wordsOf,
} from '@connectivity/ui'
import { Group, Stack, Text, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { api, type Schemas } from '../api/client.ts'
import { useDraft } from '../session/draft.ts'
import { useMayChange } from '../session/session.ts'
import { useShowSecret } from './callback-secret.tsx'
import type { ConnectionPageProps } from './connection-page.ts'
import { RotateSecret } from './rotate-secret.tsx'

type CallbackAnswer = Schemas['CallbackAnswer']

/** Interval at which the counts of deliveries are read again, ms. */
const REFRESH = 5_000

/** The callback; null when there is none. */
async function readCallback(id: string): Promise<CallbackAnswer | null> {
  try {
    return await answerOf(api.GET('/properties/{id}/callback', { params: { path: { id } } }))
  } catch (error) {
    if (isNotFound(error)) return null
    throw error
  }
}

const keyOf = (id: string) => ['callback', id]

/** The callback, the state of its deliveries, and the actions on it. */
export function Callback({ connection: { property_id: id } }: ConnectionPageProps) {
  const callback = useQuery({
    queryKey: keyOf(id),
    queryFn: () => readCallback(id),
    // Without a callback there is nothing to follow, and each read would be a 404.
    refetchInterval: ({ state }) => (state.data ? REFRESH : false),
  })
  const mayChange = useMayChange()
  return (
    <Page title="Callback" about="Reservation events are posted to this address, signed.">
      <Loaded query={callback}>
        {(found) => (
          <>
            {found ? <Registered callback={found} /> : <Empty>There is no callback yet.</Empty>}
            {mayChange && <AddressForm id={id} callback={found} />}
            {mayChange && found && <Actions id={id} callback={found} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

const Registered = ({ callback }: { callback: CallbackAnswer }) => (
  <Panel>
    <Facts
      facts={[
        ['URL', callback.url],
        ['State', <State key="state" code={callback.state} />],
        ['Events', callback.events.map((type) => type.replace('reservation.', '')).join(', ')],
        ['Payload', callback.payload],
        ['Waiting deliveries', callback.pending?.toLocaleString('en')],
        ['Failed deliveries', callback.failed?.toLocaleString('en')],
        ['Last success', <TimeOr key="success" at={callback.last_success_at} none="never" />],
        ['Suspended', <TimeOr key="suspended" at={callback.suspended_at} none="no" />],
      ]}
    />
  </Panel>
)

interface ActionProps {
  id: string
  callback: CallbackAnswer | null
}

/** Stores a changed callback in the cache, and shows its secret if the answer has one. */
function useKept(id: string) {
  const client = useQueryClient()
  const showSecret = useShowSecret()
  return ({ secret, ...callback }: CallbackAnswer) => {
    client.setQueryData<CallbackAnswer | null>(keyOf(id), (before) => ({ ...before, ...callback }))
    if (secret !== undefined) showSecret({ connectionId: id, secret })
    void client.invalidateQueries({ queryKey: keyOf(id) })
  }
}

function AddressForm({ id, callback }: ActionProps) {
  const [typed, setTyped] = useDraft<string | null>(`callback ${id}`, null)
  const url = typed ?? callback?.url ?? ''
  const kept = useKept(id)
  const saving = useChange(
    (keyOf, body: Schemas['CallbackWrite']) =>
      answerOf(api.PUT('/properties/{id}/callback', { params: { path: { id }, header: keyOf(body) }, body })),
    (answer, saved) => {
      kept(answer)
      setTyped((now) => (now?.trim() === saved.url ? null : now))
    },
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // Left out, the choice of events and payload would go back to the defaults.
    const wanted = { url: url.trim(), ...(callback && { events: callback.events, payload: callback.payload }) }
    // A request whose answer was lost is repeated as it was, also when the callback has been read since.
    const isRetry = saving.error !== null && saving.given?.url === wanted.url
    saving.send(isRetry ? saving.given! : wanted)
  }
  return (
    <Panel title={callback ? 'Change the address' : 'Register a callback'}>
      <form onSubmit={submit} onInvalid={saving.clear}>
        <Stack align="flex-start">
          <TextInput
            label="URL"
            description="https on port 443. It must answer a challenge before it is stored."
            type="url"
            required
            w="100%"
            value={url}
            onChange={(event) => setTyped(event.target.value)}
          />
          <Group>
            <Button type="submit" isBusy={saving.isPending}>
              Save callback
            </Button>
            <Text size="sm" c="dimmed" role="status">
              {saving.isPending ? 'Waiting for your server to answer the challenge…' : saving.isSuccess ? 'Saved' : ''}
            </Text>
          </Group>
          {saving.error && <Failure error={saving.error} title="The callback was not saved" />}
        </Stack>
      </form>
    </Panel>
  )
}

function Actions({ id, callback }: ActionProps & { callback: CallbackAnswer }) {
  const at = (header: ReturnType<KeyOf>) => ({ params: { path: { id }, header } })
  const kept = useKept(id)
  const test = useChange((keyOf) => answerOf(api.POST('/properties/{id}/callback/test', at(keyOf()))))
  const resume = useChange((keyOf) => answerOf(api.POST('/properties/{id}/callback/resume', at(keyOf()))), kept)
  const error = test.error ?? resume.error
  return (
    <Panel title="Actions">
      <Stack>
        <Group>
          <Button variant="default" isBusy={test.isPending} onClick={() => test.sendAsNew()}>
            Send test
          </Button>
          <RotateSecret id={id} onDone={kept} />
          {callback.state === 'suspended' && (
            <Button variant="default" isBusy={resume.isPending} onClick={() => resume.send()}>
              Resume
            </Button>
          )}
        </Group>
        {callback.state === 'suspended_by_operator' && (
          <Text size="sm">Operations have suspended this callback; only they can resume it.</Text>
        )}
        {test.data && <TestResult result={test.data} />}
        {error && <Failure error={error} />}
      </Stack>
    </Panel>
  )
}

const TestResult = ({ result }: { result: Schemas['CallbackTestAnswer'] }) => (
  <Text size="sm" role="status">
    {result.delivered ? 'The test was delivered' : 'The test was not delivered'}:{' '}
    {result.status === null ? wordsOf(result.error ?? 'no answer') : `status ${result.status}`}, {result.duration_ms}{' '}
    ms.
  </Text>
)
