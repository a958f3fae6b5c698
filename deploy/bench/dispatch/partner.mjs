// A partner with many connections, each with a callback of its own at the receiver.
import { randomUUID } from 'node:crypto'
import { OperatorsApi } from '../../local/demo/operators-api.mjs'
import { send } from '../../local/demo/partner.mjs'

async function put(baseUrl, path, body, signing) {
  const answer = await send(baseUrl, 'PUT', path, signing, { body, key: randomUUID() })
  if (answer.status >= 300) throw new Error(`PUT ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
}

/** Creates one connection for each path and registers its callback; returns their ids, in order. */
export async function registerCallbacks({ base_url, ops, applications: [application] }, receiver, paths) {
  const api = new OperatorsApi(ops.base_url, ops.token)
  const { application_id } = application
  await api.liftLimits(application_id)
  const { signing } = application.connections[0]
  const ids = []
  for (const path of paths) {
    const wanted = { application_id, source_property_id: `prop_bench_${randomUUID()}`, external_property_id: 'BENCH' }
    const property_id = await api.connect(wanted)
    await put(base_url, `/properties/${property_id}/callback`, { url: receiver + path }, signing)
    ids.push(property_id)
  }
  return ids
}
