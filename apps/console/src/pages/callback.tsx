import { answerOf, Empty, Facts, isNotFound, Loaded, Panel, State, TimeOr, titleOf, wordsOf } from '@connectivity/ui'
import { Action, type WithReason } from './action.tsx'
import { api, at, type Schemas } from '../api/client.ts'
import { count } from './texts.ts'
import { useFacts } from './pages-query.ts'

/** The callback; null when there is none. */
async function readCallback(id: string): Promise<Schemas['CallbackRecord'] | null> {
  try {
    return await answerOf(api.GET('/callbacks/{id}', at(id)))
  } catch (error) {
    if (isNotFound(error)) return null
    throw error
  }
}

/** A connection's callback and the state of its deliveries. */
export function Callback({ id }: { id: string }) {
  const callback = useFacts(['callback', id], () => readCallback(id))
  return (
    <Panel title="Callback" actions={callback.data && <CallbackMoves callback={callback.data} />}>
      <Loaded query={callback}>
        {(found) =>
          found === null ? (
            <Empty>No callback is registered.</Empty>
          ) : (
            <Facts
              facts={[
                ['URL', found.url],
                ['State', <State key="state" code={found.state} />],
                ['Waiting deliveries', count(found.pending)],
                ['Failed deliveries', count(found.failed)],
                ['Breaker', wordsOf(found.breaker.state)],
                ['Last success', <TimeOr key="success" at={found.last_success_at} none="never" />],
                ['Last failure', <TimeOr key="failure" at={found.last_failure?.at} none="none" />],
                ['Error', titleOf(String(found.last_failure?.status ?? found.last_failure?.error ?? 'none'))],
              ]}
            />
          )
        }
      </Loaded>
    </Panel>
  )
}

function CallbackMoves({ callback: { property_id: id, state } }: { callback: Schemas['CallbackRecord'] }) {
  const suspend = (withReason: WithReason) =>
    answerOf(api.POST('/callbacks/{id}/suspend', { ...at(id), ...withReason() }))
  const resume = (withReason: WithReason) =>
    answerOf(api.POST('/callbacks/{id}/resume', { ...at(id), ...withReason() }))
  return state === 'active' ? (
    <Action key="suspend" name="Suspend callback" run={suspend} isDestructive />
  ) : (
    <Action key="resume" name="Resume callback" run={resume} />
  )
}
