// Seeds a fresh stack: two applications with a connection each, and the bookings of two properties.
// STATE_DIR/seed.json records every step, so that a restart, even of a start killed half-way, creates nothing twice.
import { join } from 'node:path'
import type { ConnectionState } from '@connectivity/contracts/connection-events'
import type { Contact, CredentialType } from '@connectivity/contracts/operators-api'
import { readWhole, writeWhole } from '../machine/files.ts'
import { publish } from './booking-engine.ts'
import { firstBookings } from './bookings.ts'
import type { DemoApplication, DemoConnection, OAuthClient } from '../../../tools/toolkit/hand-over.ts'
import { remember } from './known-bookings.ts'
import type { OperatorsApi } from '../../../tools/toolkit/operators-api.ts'
import type { SigningKey } from '../../../tools/toolkit/partner.ts'
import { properties } from './properties.ts'
import { draw, randomFrom } from './random.ts'

/** An application to create, and its connection. */
interface WantedApplication {
  name: string
  source_property_id: string
  external_property_id: string
}

type Credentials = 'signing' | 'oauth'

/** A connection with the credentials issued so far. */
type SavedConnection = Omit<DemoConnection, Credentials> & Partial<Pick<DemoConnection, Credentials>>

/** An application as far as it is created. */
interface SavedApplication {
  name?: string
  application_id?: string
  connections?: [SavedConnection]
}

/** Content of seed.json. */
interface SavedSeed {
  applications: SavedApplication[]
  /** Number of initial bookings of each property. */
  published?: Record<string, number>
}

/** Result of the seed. */
export interface Seeded {
  /** Applications as demo.json shows them. */
  applications: DemoApplication[]
  /** Number of initial bookings of each property, by the booking engine's property id. */
  published: Record<string, number>
  /** Whether this seed published the bookings. */
  fresh: boolean
}

/** Fields of an application that the seed reads. */
interface ApplicationRecord {
  application_id: string
  name: string
  state: string
}

/** Fields of a connection that the seed reads. */
interface ConnectionRecord {
  property_id: string
  source_property_id: string
  state: ConnectionState
}

const APPLICATIONS: WantedApplication[] = [
  { name: 'Demo PMS', source_property_id: 'prop_demo_1', external_property_id: 'PMS-100' },
  { name: 'Demo Channel Manager', source_property_id: 'prop_demo_2', external_property_id: 'CM-2200' },
]

const contact = (name: string): Contact => ({ name: `${name} team`, email: 'integration@example.com' })

async function ensureApplication(api: OperatorsApi, { name }: WantedApplication): Promise<string> {
  const same = (application: ApplicationRecord) => application.name === name
  const known = await api.find('/applications', 'applications', same)
  const application =
    known ?? (await api.call<ApplicationRecord>('POST', '/applications', { name, contact: contact(name) }))
  if (application.state === 'pending') await api.call('POST', `/applications/${application.application_id}/approve`, {})
  return application.application_id
}

async function ensureConnection(
  api: OperatorsApi,
  application_id: string,
  { source_property_id, external_property_id }: WantedApplication,
): Promise<SavedConnection> {
  const wanted = { application_id, source_property_id, external_property_id, environment: 'sandbox' }
  const filter = `/connections?application_id=${application_id}`
  const same = (connection: ConnectionRecord) => connection.source_property_id === source_property_id
  const known = await api.find(filter, 'connections', same)
  const connection = known ?? (await api.call<ConnectionRecord>('POST', '/connections', wanted))
  if (connection.state === 'provisioning') {
    await api.transition(connection.property_id, 'pilot')
  }
  return { property_id: connection.property_id, source_property_id, external_property_id, environment: 'sandbox' }
}

/**
 * Issues a credential for its own connection only, as recommended to operators. The key is always the same, so that a
 * start killed before the answer was saved gets that answer again.
 */
const issue = <Issued>(api: OperatorsApi, { property_id }: SavedConnection, type: CredentialType): Promise<Issued> =>
  api.call('POST', `/connections/${property_id}/credentials`, { type, own_connection_only: true }, `seed-own-${type}`)

async function issueSigning(api: OperatorsApi, connection: SavedConnection): Promise<SigningKey> {
  const { key_id, signing_secret } = await issue<SigningKey>(api, connection, 'signing')
  return { key_id, signing_secret }
}

async function issueOAuth(api: OperatorsApi, connection: SavedConnection): Promise<OAuthClient> {
  const { client_id, client_secret } = await issue<OAuthClient>(api, connection, 'oauth')
  return { client_id, client_secret }
}

async function ensureDemo(
  api: OperatorsApi,
  demo: WantedApplication,
  saved: SavedApplication,
  save: () => void,
): Promise<DemoApplication> {
  const { name } = demo
  saved.name = name
  const application_id = (saved.application_id ??= await ensureApplication(api, demo))
  const [connection] = (saved.connections ??= [await ensureConnection(api, application_id, demo)])
  save()
  const signing = (connection.signing ??= await issueSigning(api, connection))
  save()
  const oauth = (connection.oauth ??= await issueOAuth(api, connection))
  save()
  return { name, application_id, connections: [{ ...connection, signing, oauth }] }
}

/** Publishes the booking engine's data; `published` is recorded only once Kafka has all of it. */
async function publishOnce(brokers: string[], stateDir: string): Promise<Record<string, number>> {
  const drawn = draw(randomFrom(20_261))
  const histories = properties.flatMap((property) => firstBookings(property, drawn))
  await publish(brokers, { properties: properties.map(({ snapshot }) => snapshot), bookings: histories.flat() })
  const latest = histories.flatMap((versions) => versions.slice(-1))
  remember(stateDir, latest)
  return Object.fromEntries(properties.map(({ snapshot, bookings }) => [snapshot.property_id, bookings]))
}

/** Stack to seed: its folder, operators' API and Kafka. */
interface SeededStack {
  stateDir: string
  api: OperatorsApi
  brokers: string[]
}

/** Seeds the missing parts. */
export async function seed({ stateDir, api, brokers }: SeededStack): Promise<Seeded> {
  const file = join(stateDir, 'seed.json')
  const state = readWhole<SavedSeed>(file, { applications: [] })
  const save = () => writeWhole(file, state)
  const applications = await Promise.all(
    APPLICATIONS.map((demo, index) => ensureDemo(api, demo, (state.applications[index] ??= {}), save)),
  )
  const fresh = state.published === undefined
  const published = (state.published ??= await publishOnce(brokers, stateDir))
  save()
  return { applications, published, fresh }
}
