// A partner with many connections, each with a callback of its own at the receiver.
import { randomUUID } from 'node:crypto'
import { OperatorsApi } from '../../local/demo/operators-api.mjs'
import { send } from '../../local/demo/partner.mjs'

const UNLIMITED = { per_minute: 1_000_000, burst: 1_000_000 }

async function put(baseUrl, path, body, signing) {
  const answer = await send(baseUrl, 'PUT', path, signing, { body, key: randomUUID() })
  if (answer.status >= 300) throw new Error(`PUT ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
}

/** Makes one connection for each path and registers its callback; gives their ids, in order. */
export async function registerCallbacks({ base_url, ops, applications: [application] }, receiver, paths) {
  const api = new OperatorsApi(ops.base_url, ops.token)
  const { application_id } = application
  const limits = Object.fromEntries(['feed', 'reads', 'ari', 'mutations', 'token'].map((name) => [name, UNLIMITED]))
  await api.call('PUT', `/applications/${application_id}/limits`, { limits })
  const { signing } = application.connections[0]
  const ids = []
  for (const path of paths) {
    const made = { application_id, source_property_id: `prop_bench_${randomUUID()}`, external_property_id: 'BENCH' }
    const { property_id } = await api.call('POST', '/connections', { ...made, environment: 'sandbox' })
    await api.call('POST', `/connections/${property_id}/transitions`, { to: 'pilot' })
    await put(base_url, `/properties/${property_id}/callback`, { url: receiver + path }, signing)
    ids.push(property_id)
  }
  return ids
}
