// Prepares the state in which a good request to an operation succeeds.
import { until } from '@connectivity/toolkit/until'
import { FRESH_KEY, LINK_TOKEN, PORTAL_HEADERS } from '../model/request.ts'
import type { Lane } from './lane.ts'
import { mapEverything } from './pilot.ts'

const PATIENCE = { within: 30_000, every: 10 }

const callbackOf = ({ client }: Lane): string => `/properties/${client.connectionId}/callback`

/** State of the lane's callback; null when there is none. */
async function callbackState(lane: Lane): Promise<string | null> {
  const { status, text } = await lane.client.get(callbackOf(lane))
  return status === 404 ? null : (JSON.parse(text) as { state: string }).state
}

const register = ({ client, facts }: Lane): Promise<unknown> =>
  client.write('PUT', `/properties/${client.connectionId}/callback`, { url: facts.callback_url })

/** Registers a callback unless there is one. */
async function withCallback(lane: Lane): Promise<void> {
  if ((await callbackState(lane)) === null) await register(lane)
}

/** Deletes the callback every other time: registering succeeds with and without an existing one. */
const sometimesWithoutCallback = everyOther(async ({ client }) => {
  const headers = { 'idempotency-key': FRESH_KEY }
  const path = `/properties/${client.connectionId}/callback`
  await client.send({ method: 'DELETE', path, headers, body: null, signature: 'good' })
})

function everyOther(work: (lane: Lane) => Promise<void>): (lane: Lane) => Promise<void> {
  let times = 0
  return async (lane) => {
    times += 1
    if (times % 2 === 0) await work(lane)
  }
}

/** Suspends the callback: its receiver answers an event with 410. */
async function withSuspendedCallback(lane: Lane): Promise<void> {
  const { name, client, facts, receiver } = lane
  if ((await callbackState(lane)) === 'suspended') return
  await register(lane)
  receiver.setGone(name, true)
  try {
    const event_ids = facts.event_ids.slice(0, 1)
    await client.write('POST', '/reservations/events/replay', { property_id: client.connectionId, event_ids })
    await until(async () => (await callbackState(lane)) === 'suspended', {
      ...PATIENCE,
      complaint: () => `the callback of ${name} was not suspended after its receiver answered 410`,
    })
  } finally {
    receiver.setGone(name, false)
  }
}

interface ProductionRequest {
  request_id: string
  state: string
  checklist: { code: string; state: string }[]
}

/** Open items of the checklist, without the request itself. */
const openItems = ({ checklist }: Pick<ProductionRequest, 'checklist'>) =>
  checklist.filter(({ code, state }) => state === 'open' && code !== 'production_requested').map(({ code }) => code)

/** Passes the checklist, and rejects an open production request. */
async function withReadyPilot({ name, client, property, operators }: Lane): Promise<void> {
  const watch = () => client.read<ProductionRequest>('/production/request')
  const { request_id, state, ...watched } = await watch()
  if (state === 'submitted') await operators.call('POST', `/production-requests/${request_id}/reject`, {})
  if (openItems(watched).length === 0) return
  // A mapping that leaves something unmapped opens its item again.
  await mapEverything(client, property.snapshot)
  await until(async () => openItems(await watch()).length === 0, {
    ...PATIENCE,
    complaint: () => `the pilot of ${name} did not become ready`,
  })
}

const withLink = ({ person }: Lane): Promise<void> => person.receiveLink()

/** Signs the lane's person in to the portal. */
async function withSession({ client, person }: Lane): Promise<void> {
  await person.receiveLink()
  const headers = { ...PORTAL_HEADERS, 'content-type': 'application/json' }
  const body = JSON.stringify({ token: LINK_TOKEN })
  const answer = await client.send({ method: 'POST', path: '/portal/session', headers, body, signature: 'none' })
  if (answer.status !== 201) throw new Error(`POST /portal/session answered ${answer.status}: ${answer.text}`)
  person.keepSession(answer)
}

const preparations: Record<string, (lane: Lane) => Promise<void>> = {
  putCallback: sometimesWithoutCallback,
  replayEvents: withCallback,
  getCallback: withCallback,
  deleteCallback: withCallback,
  testCallback: withCallback,
  diagnoseCallback: withCallback,
  rotateCallbackSecret: withCallback,
  resumeCallback: withSuspendedCallback,
  requestProduction: withReadyPilot,
  signIn: withLink,
  signOut: withSession,
}

/** Brings the lane into the state in which a good request to the operation succeeds. */
export const prepare = (lane: Lane, operationId: string): Promise<void> =>
  preparations[operationId]?.(lane) ?? Promise.resolve()
