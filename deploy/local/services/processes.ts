// The five services as processes of the supervisor.
import { node } from '../bootstrap/install/install.mjs'
import type { Spec } from '../bootstrap/processes/supervisor.mjs'
import { environmentOf, type ServiceContext } from './environment.ts'
import { type Service, services } from './names.ts'

/** Context of a service's process. */
export interface ProcessContext extends ServiceContext {
  /** Further keys of its environment. */
  more?: Record<string, string>
}

/** Address of a service's readiness probe; the gateway's is on its private listener. */
export const healthUrl = ({ port }: Service, ports: ServiceContext['ports']): string =>
  `http://127.0.0.1:${ports[port]}/health/ready`

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) })
  await answer.arrayBuffer()
  return answer.status === 200
}

/**
 * Spec of one process of a service; a second process of the same service has another name, and ports of its own in the
 * context.
 */
export const serviceSpec = (service: Service, context: ProcessContext, name: string = service.name): Spec => ({
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
export const serviceSpecs = (context: ProcessContext): Spec[] =>
  services.map((service) => serviceSpec(service, context))
