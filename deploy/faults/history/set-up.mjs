// Two properties and two applications: a PMS connected to both properties, a channel manager to one of them.
import { publish } from '../../local/demo/booking-engine.mjs'
import { OperatorsApi } from '../../local/demo/operators-api.mjs'
import { propertySnapshot } from './property.mjs'

export const PROPERTIES = ['prop_faults_1', 'prop_faults_2']
const APPLICATIONS = [
  { name: 'PMS', properties: PROPERTIES },
  { name: 'Channel manager', properties: [PROPERTIES[0]] },
]
const UNLIMITED = { per_minute: 1_000_000, burst: 1_000_000 }
const LIMITS = Object.fromEntries(['feed', 'reads', 'ari', 'mutations', 'token'].map((name) => [name, UNLIMITED]))

/** A signing credential of a connection. */
export async function issueCredential(api, property_id) {
  const issued = await api.call('POST', `/connections/${property_id}/credentials`, { type: 'signing' })
  const { credential_id, key_id, signing_secret } = issued
  return { credential_id, key_id, signing_secret }
}

async function connect(api, application_id, property) {
  const wanted = { application_id, source_property_id: property, external_property_id: 'EXT', environment: 'sandbox' }
  const { property_id } = await api.call('POST', '/connections', wanted)
  await api.call('POST', `/connections/${property_id}/transitions`, { to: 'pilot' })
  return { connection: property_id, property, signing: await issueCredential(api, property_id) }
}

async function apply(api, { name, properties }) {
  const contact = { name, email: 'integration@example.com' }
  const { application_id } = await api.call('POST', '/applications', { name, contact })
  await api.call('POST', `/applications/${application_id}/approve`, {})
  await api.call('PUT', `/applications/${application_id}/limits`, { limits: LIMITS })
  return Promise.all(properties.map((property) => connect(api, application_id, property)))
}

/** @returns {Promise<{ api: OperatorsApi, pms: object[], channelManager: object[] }>} connections of each application */
export async function setUp({ brokers, ops }) {
  const api = new OperatorsApi(ops.baseUrl, ops.token)
  await publish(brokers, { properties: PROPERTIES.map(propertySnapshot) })
  const [pms, channelManager] = await Promise.all(APPLICATIONS.map((application) => apply(api, application)))
  return { api, pms, channelManager }
}
