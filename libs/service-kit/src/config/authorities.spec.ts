import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { X509Certificate } from 'node:crypto'
import { Authority } from '@connectivity/testing/certificates'
import { register } from 'prom-client'
import { noteAuthorities } from './authorities.js'
import { as, type ConfigKeys, readConfig } from './config.js'

const keys = {
  TRUSTED_CA: { about: 'Certificates.', read: as.authorities, fallback: '', document: true },
} satisfies ConfigKeys

describe('authorities', () => {
  const [first, second] = [new Authority(), new Authority()]
  const folder = mkdtempSync(join(tmpdir(), 'authorities-'))
  const file = join(folder, 'ca.crt')
  const config = () => readConfig(keys, { TRUSTED_CA_FILE: file })
  beforeEach(() => writeFileSync(file, first.certificate))
  afterAll(() => {
    for (const authority of [first, second]) authority.remove()
    rmSync(folder, { recursive: true })
  })

  it('are those of Node.js without a certificate, and fixed without a file', () => {
    expect(readConfig(keys, {}).TRUSTED_CA.tls).toBeNull()
    expect(readConfig(keys, { TRUSTED_CA: first.certificate }).TRUSTED_CA.tls).toEqual({ ca: first.certificate })
    expect(() => readConfig(keys, { TRUSTED_CA: 'ca.crt' })).toThrow('TRUSTED_CA must be text in PEM')
  })

  it('are what the file holds at each new connection', () => {
    const { tls } = config().TRUSTED_CA
    const connect = (): object => Object.assign({}, tls)
    expect(connect()).toEqual({ ca: first.certificate.trimEnd() })
    writeFileSync(file, second.certificate)
    expect(connect()).toEqual({ ca: second.certificate.trimEnd() })
  })

  it('stay the same while the file is missing, empty or damaged', () => {
    const { tls } = config().TRUSTED_CA
    for (const text of ['', 'no certificate', '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----']) {
      writeFileSync(file, text)
      expect(tls!.ca).toBe(first.certificate.trimEnd())
    }
    rmSync(file)
    expect(tls!.ca).toBe(first.certificate.trimEnd())
  })

  it('show in the metrics when the last of them ends', async () => {
    writeFileSync(file, first.certificate + second.certificate)
    const damaged = as.authorities('-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----')
    noteAuthorities({ ...config(), damaged, NODE_ENV: 'test' })
    const ends = [first, second].map(
      ({ certificate }) => new X509Certificate(certificate).validToDate.getTime() / 1_000,
    )
    const { values } = await register.getSingleMetric('connectivity_trusted_authority_end_seconds')!.get()
    expect(values).toEqual([{ labels: { key: 'TRUSTED_CA' }, value: Math.max(...ends) }])
  })
})
