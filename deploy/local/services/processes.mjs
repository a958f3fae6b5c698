// The five services as processes of the supervisor.
import { node } from '../machine/install.mjs'
import { environmentOf } from './environment.mjs'
import { services } from './names.mjs'

/** Address of a service's readiness probe; the gateway's is on its private listener. */
export const healthUrl = ({ port }, ports) => `http://127.0.0.1:${ports[port]}/health/ready`

async function isReady(url) {
  const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) })
  await answer.arrayBuffer()
  return answer.status === 200
}

/**
 * Spec of one process of a service; a second process of the same service has another name, and ports of its own in the
 * context.
 */
export const serviceSpec = (service, context, name = service.name) => ({
  name,
  title: name === service.name ? service.title : name,
  kind: 'service',
  attempts: 4,
  command: () => ({
    file: node,
    args: ['--enable-source-maps', `apps/${service.name}/dist/main.js`],
    env: { ...environmentOf(service, context), INSTANCE_NAME: name, ...context.more },
  }),
  isReady: () => isReady(healthUrl(service, context.ports)),
})

/** Specs of the five services of the stack `context`. */
export const serviceSpecs = (context) => services.map((service) => serviceSpec(service, context))
