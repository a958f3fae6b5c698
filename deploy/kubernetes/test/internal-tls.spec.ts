import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { KUBERNETES, manifestsBelow, ofKind } from './manifests.js'

const FOLDER = 'components/internal-tls'
const TLS = '/run/secrets/tls'

interface Certificate {
  metadata: { name: string }
  spec: { secretName: string; dnsNames: string[] }
}
interface Kustomization {
  components: string[]
  configMapGenerator: { name: string; literals?: string[]; envs?: string[] }[]
  patches: { target: { kind: string; name: string }; patch?: string }[]
}

const kustomization = (folder: string): Kustomization =>
  parse(readFileSync(join(KUBERNETES, folder, 'kustomization.yaml'), 'utf8')) as Kustomization
const component = kustomization(FOLDER)
const certificates = ofKind<Certificate>(manifestsBelow(FOLDER), 'Certificate')
const services = ['catalog', 'reservation-feed', 'ari', 'event-dispatch']

/** The gateway's variables in this component. */
const variables = new Map(
  readFileSync(join(KUBERNETES, FOLDER, 'gateway.env'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('=') as [string, string]),
)

describe('TLS inside the cluster', () => {
  it.each(['staging', 'production'])('is part of %s', (overlay) => {
    expect(kustomization(`overlays/${overlay}`).components).toContain('../../components/internal-tls')
  })

  it.each(['gateway', ...services])('gives %s a certificate of its own, mounted where it looks for it', (service) => {
    const { secretName } = certificates.find(({ metadata }) => metadata.name === `${service}-internal`)!.spec
    const mount = component.patches.find(({ target }) => target.kind === 'Deployment' && target.name === service)!
    expect(parse(mount.patch!)).toMatchObject([{ value: { name: 'tls', secret: { secretName } } }])
    if (service === 'gateway') return
    const { literals } = component.configMapGenerator.find(({ name }) => name === service)!
    expect(literals).toEqual([`TLS_FILES=${TLS}`])
  })

  it.each(services)('makes the gateway call %s by a name in its certificate', (service) => {
    const url = new URL(variables.get(`${service.toUpperCase().replace('-', '_')}_URL`)!)
    expect(url.protocol).toBe('https:')
    const { dnsNames } = certificates.find(({ metadata }) => metadata.name === `${service}-internal`)!.spec
    expect(dnsNames).toContain(url.hostname)
  })

  it('covers both listeners of the gateway, and every name of the private one', () => {
    expect([variables.get('PUBLIC_TLS_FILES'), variables.get('PRIVATE_TLS_FILES')]).toEqual([TLS, TLS])
    expect(variables.get('SERVICES_CA_FILE')).toBe(`${TLS}/ca.crt`)
    const env = readFileSync(join(KUBERNETES, 'base/gateway/config.env'), 'utf8')
    const hosts = /^PRIVATE_HOSTS=(.*)$/m.exec(env)![1]!.split(',')
    const { dnsNames } = certificates.find(({ metadata }) => metadata.name === 'gateway-internal')!.spec
    const local = ['localhost', '127.0.0.1']
    expect(hosts.filter((host) => !local.includes(host) && !dnsNames.includes(host))).toEqual([])
  })
})
