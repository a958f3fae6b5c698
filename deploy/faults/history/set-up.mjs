// Two properties and two applications: a PMS connected to both properties, a channel manager to one of them.
import { publish } from '../../local/demo/booking-engine.mjs'
import { OperatorsApi } from '../../local/demo/operators-api.mjs'
import { propertySnapshot } from './property.mjs'

export const PROPERTIES = ['prop_faults_1', 'prop_faults_2']
const APPLICATIONS = [
  { name: 'PMS', properties: PROPERTIES },
  { name: 'Channel manager', properties: [PROPERTIES[0]] },
]

async function connect(api, application_id, property) {
  const connection = await api.connect({ application_id, source_property_id: property, external_property_id: 'EXT' })
  return { connection, property, signing: await api.issueSigning(connection) }
}

async function apply(api, { name, properties }) {
  const contact = { name, email: 'integration@example.com' }
  const { application_id } = await api.call('POST', '/applications', { name, contact })
  await api.call('POST', `/applications/${application_id}/approve`, {})
  await api.liftLimits(application_id)
  return Promise.all(properties.map((property) => connect(api, application_id, property)))
}

/** @returns {Promise<{ api: OperatorsApi, pms: object[], channelManager: object[] }>} connections of each application */
export async function setUp({ brokers, ops }) {
  const api = new OperatorsApi(ops.baseUrl, ops.token)
  await publish(brokers, { properties: PROPERTIES.map(propertySnapshot) })
  const [pms, channelManager] = await Promise.all(APPLICATIONS.map((application) => apply(api, application)))
  return { api, pms, channelManager }
}
