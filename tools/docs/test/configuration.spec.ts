import { readFileSync } from 'node:fs'
import { configurationPage, keysOfServices, type ServiceKeys } from '../src/configuration-page.js'
import { configurationFile } from '../src/files.js'

describe('the page on configuration', () => {
  let all: ServiceKeys
  let every: [name: string, key: ServiceKeys['gateway'][string]][]
  beforeAll(async () => {
    all = await keysOfServices('src')
    every = Object.values(all).flatMap((keys) => Object.entries(keys))
  })

  it('matches the code; `npm run -s config:docs > docs/configuration.md` rewrites it', async () => {
    expect(readFileSync(configurationFile, 'utf8')).toBe(await configurationPage(all))
  })

  it('describes a key the same way everywhere', () => {
    const said = Map.groupBy(every, ([name]) => name)
    const twice = [...said].filter(([, keys]) => new Set(keys.map(([, { about }]) => about)).size > 1)
    expect(twice.map(([name]) => name)).toEqual([])
  })

  it('describes every key with a sentence and a readable default', () => {
    for (const [name, { about, fallback, read }] of every) {
      expect([name, about]).toEqual([name, expect.stringMatching(/^[A-Z`].+\.$/)])
      if (fallback !== undefined) expect(() => read(fallback)).not.toThrow()
    }
  })

  it('marks secrets', () => {
    const secrets = new Set(every.filter(([, { secret }]) => secret).map(([name]) => name))
    expect([...secrets].sort()).toEqual([
      'CURSOR_KEYS',
      'DATABASE_URL',
      'IDENTITY_KEY',
      'IDENTITY_KEYS',
      'KAFKA_CLIENT_KEY',
      'KAFKA_SASL_PASSWORD',
      'KEY_ENCRYPTION_KEYS',
      'OTEL_EXPORTER_OTLP_HEADERS',
      'REDIS_URL',
    ])
    const suspects = every.filter(([name]) => /(_KEYS?|SECRET|PASSWORD|TOKEN|DATABASE_URL|REDIS_URL)$/.test(name))
    expect(suspects.filter(([, { secret }]) => !secret).map(([name]) => name)).toEqual([])
  })
})
