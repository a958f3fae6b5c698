import { createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { guidesFolder, vectorsFile } from '../src/files.js'
import type { vectors as Vectors } from '../src/vectors.js'
import { blocksOf, output } from './programs.js'
import { breakages, broken } from './samples/broken-signers.js'
import { languages, runnableSamples, signatures, signerOf } from './samples/signing-samples.js'

const { requests, callbacks } = JSON.parse(readFileSync(vectorsFile, 'utf8')) as typeof Vectors
const bytes = (text: string) => Buffer.from(text, 'base64')
const pathOf = (target: string) => target.split('?')[0]!

describe('the golden vectors of requests', () => {
  it.each(requests)('sign their canonical text: $name', ({ secret, canonical, signature }) => {
    expect(createHmac('sha256', secret).update(canonical).digest('hex')).toBe(signature)
  })

  it.each(runnableSamples.map((language) => [language.name, language] as const))(
    "are what the guide's sample makes in %s",
    async (_name, language) => {
      const calls = requests.map(({ target, body_base64, ...vector }) => ({
        ...vector,
        variant: 'right',
        path: pathOf(target),
        body: bytes(body_base64),
      }))
      const made = await signatures(language, { right: signerOf(language) }, calls)
      expect(made).toEqual(requests.map(({ signature }) => signature))
    },
    60_000,
  )

  it('are what the function of the quick start makes in a shell', async () => {
    const quickStart = readFileSync(join(guidesFolder, 'quick-start.md'), 'utf8')
    const signer = blocksOf(quickStart, 'sh').find((block) => block.includes('signed() {'))!
    const folder = mkdtempSync(join(tmpdir(), 'quick-start-'))
    const quoted = (text: string) => `'${text}'`
    const calls = requests.map(({ secret, method, target, timestamp, body_base64 }) =>
      [
        `SIGNING_SECRET=${secret}; BASE_URL= KEY_ID=`,
        `date() { echo ${timestamp}; }`,
        ['signed', method, target.replace('/api/connectivity/v1', ''), bytes(body_base64).toString()]
          .map(quoted)
          .join(' '),
      ].join('\n'),
    )
    // Prints the last header instead of sending the request.
    const curl = `curl() { printf '%s\\n' "\${@: -1}"; }`
    writeFileSync(join(folder, 'calls.sh'), ['set -eu', signer, curl, ...calls].join('\n'))
    const text = await output('bash', [join(folder, 'calls.sh')], { PATH: process.env.PATH ?? '' })
    rmSync(folder, { recursive: true })
    expect(text.trim().split('\n')).toEqual(requests.map(({ signature }) => `X-Service-Signature: ${signature}`))
  })
})

describe('the golden vectors of callbacks', () => {
  it.each(callbacks)('sign their canonical text: $name', ({ secret, canonical, signature, headers }) => {
    const key = bytes(secret.replace('whsec_', ''))
    expect(createHmac('sha256', key).update(canonical).digest('hex')).toBe(signature)
    expect(headers['service-signature']).toContain(`v1=${signature}`)
  })

  it.each(callbacks)('hold id, time and body: $name', ({ event_id, timestamp, body_base64, canonical, headers }) => {
    expect(canonical).toBe(`${event_id}.${timestamp}.${bytes(body_base64).toString()}`)
    expect(headers).toMatchObject({ 'webhook-id': event_id, 'webhook-timestamp': timestamp })
  })
})

describe('mistakes in the samples', () => {
  it.each(languages.map((language) => [language.name, language] as const))('can be made in %s', (name, language) => {
    const signer = signerOf(language)
    for (const breakage of Object.values(breakages[name]!)) expect(broken(signer, breakage)).not.toBe(signer)
  })
})
