// Seeds a fresh stack: two applications with a connection each, and the bookings of two properties.
// STATE_DIR/seed.json records every step, so that a restart, even of a start killed half-way, creates nothing twice.
import { join } from 'node:path'
import { readWhole, writeWhole } from '../machine/files.mjs'
import { firstBookings } from './bookings.mjs'
import { publish } from './booking-engine.mjs'
import { remember } from './known-bookings.mjs'
import { properties } from './properties.mjs'
import { draw, randomFrom } from './random.mjs'

const APPLICATIONS = [
  { name: 'Demo PMS', source_property_id: 'prop_demo_1', external_property_id: 'PMS-100' },
  { name: 'Demo Channel Manager', source_property_id: 'prop_demo_2', external_property_id: 'CM-2200' },
]

const contact = (name) => ({ name: `${name} team`, email: 'integration@example.com' })

async function ensureApplication(api, { name }) {
  const known = await api.find('/applications', 'applications', (application) => application.name === name)
  const application = known ?? (await api.call('POST', '/applications', { name, contact: contact(name) }))
  if (application.state === 'pending') await api.call('POST', `/applications/${application.application_id}/approve`, {})
  return application.application_id
}

async function ensureConnection(api, application_id, { source_property_id, external_property_id }) {
  const wanted = { application_id, source_property_id, external_property_id, environment: 'sandbox' }
  const filter = `/connections?application_id=${application_id}`
  const same = (connection) => connection.source_property_id === source_property_id
  const known = await api.find(filter, 'connections', same)
  const connection = known ?? (await api.call('POST', '/connections', wanted))
  if (connection.state === 'provisioning') {
    await api.transition(connection.property_id, 'pilot')
  }
  return { property_id: connection.property_id, source_property_id, external_property_id, environment: 'sandbox' }
}

/**
 * Issues a credential for its own connection only, as recommended to operators. The key is always the same, so that a
 * start killed before the answer was saved gets that answer again.
 */
const issue = (api, { property_id }, type) =>
  api.call('POST', `/connections/${property_id}/credentials`, { type, own_connection_only: true }, `seed-own-${type}`)

async function issueSigning(api, connection) {
  const { key_id, signing_secret } = await issue(api, connection, 'signing')
  return { key_id, signing_secret }
}

async function issueOAuth(api, connection) {
  const { client_id, client_secret } = await issue(api, connection, 'oauth')
  return { client_id, client_secret }
}

async function ensureDemo(api, demo, saved, save) {
  saved.name = demo.name
  saved.application_id ??= await ensureApplication(api, demo)
  saved.connections ??= [await ensureConnection(api, saved.application_id, demo)]
  save()
  const [connection] = saved.connections
  connection.signing ??= await issueSigning(api, connection)
  save()
  connection.oauth ??= await issueOAuth(api, connection)
  save()
}

/** Publishes the booking engine's data; `published` is recorded only once Kafka has all of it. */
async function publishOnce(brokers, stateDir) {
  const drawn = draw(randomFrom(20_261))
  const histories = properties.flatMap((property) => firstBookings(property, drawn))
  await publish(brokers, { properties: properties.map(({ snapshot }) => snapshot), bookings: histories.flat() })
  const latest = histories.map((versions) => versions.at(-1))
  remember(stateDir, latest)
  return Object.fromEntries(properties.map(({ snapshot, bookings }) => [snapshot.property_id, bookings]))
}

/**
 * Seeds what is missing.
 * @returns {Promise<{ applications: object[], published: Record<string, number>, fresh: boolean }>} the applications as
 *   demo.json shows them; how many bookings each property began with; whether they were published just now
 */
export async function seed({ stateDir, api, brokers }) {
  const file = join(stateDir, 'seed.json')
  const state = readWhole(file, { applications: APPLICATIONS.map(() => ({})), published: undefined })
  const save = () => writeWhole(file, state)
  await Promise.all(APPLICATIONS.map((demo, index) => ensureDemo(api, demo, state.applications[index], save)))
  const fresh = state.published === undefined
  state.published ??= await publishOnce(brokers, stateDir)
  save()
  return { ...state, fresh }
}
