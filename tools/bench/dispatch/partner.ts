// A partner with many connections, each with a callback of its own at the receiver.
import { randomUUID } from 'node:crypto'
import { OperatorsApi } from '@connectivity/toolkit/operators-api'
import { send, type SignedConnection, type SigningKey } from '@connectivity/toolkit/partner'
import type { OwnStack } from '@connectivity/toolkit/own-stack'
import { present } from '@connectivity/toolkit/present'
import { applicationOf } from '../demo.ts'

/** Registers the callback of a connection; the receiver must answer its challenge. */
export async function registerCallback(
  baseUrl: string,
  { property_id, signing }: SignedConnection,
  url: string,
): Promise<void> {
  const path = `/properties/${property_id}/callback`
  const answer = await send(baseUrl, 'PUT', path, signing, { body: { url }, key: randomUUID() })
  if (answer.status >= 300) throw new Error(`PUT ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
}

/** Callbacks to register for a partner's connections. */
export interface WantedCallbacks {
  /** Origin of the receiver. */
  receiver: string
  /** One for each connection. */
  paths: readonly string[]
  /** Id of the property of a path's connection; by default one that the booking engine does not know. */
  propertyOf?: (path: string) => string
}

/** Connections with callbacks, and a key for all of them. */
export interface Registered {
  /** Ids in the order of the paths. */
  ids: string[]
  signing: SigningKey
}

/** Creates one connection for each path and registers its callback. */
export async function registerCallbacks(
  demo: OwnStack,
  { receiver, paths, propertyOf = () => `prop_bench_${randomUUID()}` }: WantedCallbacks,
): Promise<Registered> {
  const { base_url, ops } = demo
  const application = applicationOf(demo)
  const api = new OperatorsApi(ops.base_url, ops.token, 'benchmark')
  const { application_id } = application
  await api.liftLimits(application_id)
  let signing: SigningKey | undefined
  const ids: string[] = []
  for (const path of paths) {
    const wanted = { application_id, source_property_id: propertyOf(path), external_property_id: 'BENCH' }
    const property_id = await api.connect(wanted)
    // The demo's own key is for one connection; this one is for all of the application.
    signing ??= await api.issueSigning(property_id)
    await registerCallback(base_url, { property_id, signing }, receiver + path)
    ids.push(property_id)
  }
  return { ids, signing: present(signing, 'path') }
}
