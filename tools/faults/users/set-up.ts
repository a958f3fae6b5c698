// Two properties and two applications: a PMS connected to both properties, a channel manager to one of them.
import { publish } from '../../../deploy/local/demo/booking-engine.ts'
import { type IssuedSigning, OperatorsApi } from '@connectivity/toolkit/operators-api'
import type { System } from '../stack/system.ts'
import type { Connection } from '../history/history-types.ts'
import { propertySnapshot } from './property.ts'

export const PROPERTIES: [string, string] = ['prop_faults_1', 'prop_faults_2']

/** A partner's application. */
interface Application {
  name: string
  /** Properties to which it is connected. */
  properties: [string, ...string[]]
}

const PMS: Application = { name: 'PMS', properties: PROPERTIES }
const CHANNEL_MANAGER: Application = { name: 'Channel manager', properties: [PROPERTIES[0]] }

/** A connection and the credential that was issued for it. */
export interface Connected extends Connection {
  signing: IssuedSigning
}

/** Operators' API and the connections of each application at the start of a run. */
export interface SetUp {
  api: OperatorsApi
  pms: [Connected, ...Connected[]]
  channelManager: [Connected, ...Connected[]]
}

async function connect(api: OperatorsApi, application_id: string, property: string): Promise<Connected> {
  const connection = await api.connect({ application_id, source_property_id: property, external_property_id: 'EXT' })
  return { connection, property, signing: await api.issueSigning(connection) }
}

async function apply(api: OperatorsApi, application: Application): Promise<[Connected, ...Connected[]]> {
  const { name, properties } = application
  const application_id = await api.createApplication(name)
  await api.liftLimits(application_id)
  const [first, ...others] = properties
  const connectTo = (property: string) => connect(api, application_id, property)
  return Promise.all([connectTo(first), ...others.map(connectTo)])
}

export async function setUp({ brokers, ops }: Pick<System, 'brokers' | 'ops'>): Promise<SetUp> {
  const api = new OperatorsApi(ops.baseUrl, ops.token, 'fault run')
  await publish(brokers, { properties: PROPERTIES.map(propertySnapshot) })
  const [pms, channelManager] = await Promise.all([apply(api, PMS), apply(api, CHANNEL_MANAGER)])
  return { api, pms, channelManager }
}
