import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { as, type ConfigKeys, readConfig } from './config.js'
import { tracesEndpoint, tracingKeys } from '../tracing/tracing-keys.js'

const key = (fill: number) => Buffer.alloc(32, fill).toString('base64')

describe('a ring of keys', () => {
  it('holds them by id, the current one first', () => {
    expect([...as.keyRing(`new:${key(2)}, old:${key(1)}`)]).toEqual([
      ['new', Buffer.alloc(32, 2)],
      ['old', Buffer.alloc(32, 1)],
    ])
  })

  it.each([
    '',
    ',',
    key(1),
    `:${key(1)}`,
    `a:${key(1)}:b`,
    `a:${key(1).slice(4)}`,
    `a:${key(1)},a:${key(2)}`,
    `${'x'.repeat(33)}:${key(1)}`,
    `a b:${key(1)}`,
  ])('is not %j', (text) => expect(() => as.keyRing(text)).toThrow('must be'))
})

describe('a value', () => {
  it.each([
    [as.port, ['0', '8080', '65535'], ['', ' ', '-1', '65536', '1e3', 'http']],
    [as.positiveInteger, ['1', '500', '1000000'], ['', '0', '-1', '1.5', '01', '1000001']],
    [as.integer(2, 20), ['2', '20'], ['', '1', '21', '2.5', '02', '-3']],
    [as.share, ['0', '1', '0.25', '1.0'], ['', '2', '-0.1', '.5', '1.1', 'all']],
    [as.text, ['x'], ['']],
    [as.oneOf('trace', 'debug'), ['trace', 'debug'], ['', 'Trace', 'verbose']],
    [as.url('http', 'https'), ['http://a', 'https://a:1/b'], ['', 'a', '//a', 'ftp://a', 'postgres://a']],
    [as.brokers, ['a:1', 'kafka-0.kafka:9092, [::1]:9092'], ['', ',', 'a', 'a:', 'a:1,b', 'http://a:1']],
  ])('of kind %# is read or refused without being quoted', (read: (text: string) => unknown, good, bad) => {
    for (const text of good) expect(() => read(text)).not.toThrow()
    for (const text of bad) expect(() => read(text)).toThrow(/^must be (a|one) /)
  })
})

describe('the configuration', () => {
  const folder = mkdtempSync(join(tmpdir(), 'config-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const keys = {
    NAME: { about: 'A name.', read: as.text },
    SIZE: {
      about: 'A size.',
      read: as.positiveInteger,
      fallback: '7',
      rule: ({ NAME, SIZE }: { NAME?: string; SIZE?: number }) =>
        SIZE !== undefined && SIZE < (NAME ?? '').length ? ['SIZE is too small for NAME'] : [],
    },
    PASSWORD: { about: 'A password.', read: as.text, secret: true },
  } satisfies ConfigKeys
  const faultsOf = (env: NodeJS.ProcessEnv): string => {
    try {
      readConfig(keys, env)
    } catch (error) {
      return (error as Error).message
    }
    throw new Error('no fault')
  }

  it('takes given values and defaults for the others', () => {
    expect(readConfig(keys, { NAME: 'n', PASSWORD: 'p' })).toEqual({ NAME: 'n', SIZE: 7, PASSWORD: 'p' })
  })

  it('names every fault at once, and no value', () => {
    const faults = faultsOf({ SIZE: 'hunter2', PASSWORD: '' })
    expect(faults).toBe(
      'configuration: NAME is required (A name.); SIZE must be a positive integer up to 1000000 (A size.); ' +
        'PASSWORD must be a text (A password.)',
    )
  })

  it('also names broken rules between keys that could be read', () => {
    expect(faultsOf({ NAME: 'name', SIZE: '3' })).toBe(
      'configuration: PASSWORD is required (A password.); SIZE is too small for NAME',
    )
  })

  it.each([
    ['secret', 'secret'],
    ['secret\n', 'secret'],
    ['secret\r\n', 'secret'],
    ['secret\n\n', 'secret\n'],
    [' secret ', ' secret '],
  ])('takes a secret from a file that holds %j', (text, value) => {
    expect(readConfig(keys, { NAME: 'n', PASSWORD_FILE: file('password', text) }).PASSWORD).toBe(value)
  })

  it('refuses a secret that is given twice', () => {
    const faults = faultsOf({ NAME: 'n', PASSWORD: 'hunter2', PASSWORD_FILE: file('password', 'hunter3') })
    expect(faults).toContain('PASSWORD is given twice')
    expect(faults).not.toMatch(/hunter/)
  })

  it('names the key and the file that cannot be read', () => {
    const missing = join(folder, 'missing')
    expect(faultsOf({ NAME: 'n', PASSWORD_FILE: missing })).toContain(`PASSWORD cannot be read from ${missing}: ENOENT`)
    expect(faultsOf({ NAME: 'n', PASSWORD_FILE: folder })).toContain(`PASSWORD cannot be read from ${folder}: EISDIR`)
  })

  it('never shows the content of a file', () => {
    const secret = { SIZE: { ...keys.SIZE, secret: true as const } }
    const name = file('size', 'hunter2')
    expect(() => readConfig(secret, { SIZE_FILE: name })).toThrow(/^configuration: SIZE must be a positive integer/)
  })

  it('takes only secrets from files', () => {
    expect(faultsOf({ NAME_FILE: file('name', 'n'), PASSWORD: 'p' })).toContain('NAME is required')
  })
})

describe('the address for traces', () => {
  const addressOf = (env: NodeJS.ProcessEnv) => tracesEndpoint(readConfig(tracingKeys, env))

  it.each([
    [{}, null],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, null],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }, 'http://c:4318/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/otlp/' }, 'http://c:4318/otlp/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://t/x', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c' }, 'https://t/x'],
  ])('with %j is %j', (env, address) => expect(addressOf(env)).toBe(address))

  it('comes with headers in percent-encoding', () => {
    const { OTEL_EXPORTER_OTLP_HEADERS } = readConfig(tracingKeys, {
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x,x-scope=a',
    })
    expect(OTEL_EXPORTER_OTLP_HEADERS).toEqual({ authorization: 'Bearer x', 'x-scope': 'a' })
    expect(() => readConfig(tracingKeys, { OTEL_EXPORTER_OTLP_HEADERS: 'hunter2' })).toThrow(
      'OTEL_EXPORTER_OTLP_HEADERS must be a list of name=value (',
    )
  })
})
