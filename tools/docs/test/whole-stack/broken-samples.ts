import { randomUUID } from 'node:crypto'
import type { ErrorBody } from '@connectivity/contracts/errors'
import type { SignatureHint } from '@connectivity/contracts/signature-hints'
import { eventually } from '@connectivity/testing/eventually'
import type { WholeStack } from '@connectivity/testing/whole-stack'
import type { IssuedSigning } from '@connectivity/toolkit/operators-api'
import { breakages, broken } from '../samples/broken-signers.js'
import { runnableSamples, signatures, type Language, type Signed, signerOf } from '../samples/signing-samples.js'
import type { System } from './system.js'

const METHOD = 'POST'
const PATH = '/api/connectivity/v1/reservations/RSV%2F1'
const TARGET = `${PATH}?a=b`
const BODY = Buffer.from('{"name": "Zoë", "path": "a/b", "list": [1, 2]}')

interface RotatedKey {
  keyId: string
  secret: string
  endedSecret: string
}

/** A key whose first secret has ended. */
async function rotatedKey(stack: WholeStack): Promise<RotatedKey> {
  const { operators, connection } = stack
  const { credential_id, key_id, signing_secret: endedSecret } = await operators.issueSigning(connection.property_id)
  const path = `/credentials/${credential_id}/rotate`
  const { signing_secret } = await operators.call<IssuedSigning>('POST', path, { overlap_seconds: 0 })
  return { keyId: key_id, secret: signing_secret, endedSecret }
}

/** Signatures of the sample by the mistake that was made with it; `right` without one. */
async function brokenSignatures(language: Language, key: RotatedKey, timestamp: string): Promise<Map<string, string>> {
  const right = signerOf(language)
  const mistakes = Object.entries(breakages[language.name]!)
  const variants = Object.fromEntries(mistakes.map(([mistake, breakage]) => [mistake, broken(right, breakage)]))
  const call: Signed = { variant: 'right', secret: key.secret, method: METHOD, path: PATH, timestamp, body: BODY }
  const calls: [mistake: string, call: Signed][] = [
    ['right', call],
    ['query_was_signed', { ...call, path: TARGET }],
    ['secret_ended', { ...call, secret: key.endedSecret }],
    ...mistakes.map(([mistake]): [string, Signed] => [mistake, { ...call, variant: mistake }]),
  ]
  const made = await signatures(
    language,
    { right, ...variants },
    calls.map(([, each]) => each),
  )
  return new Map(calls.map(([mistake], index) => [mistake, made[index]!]))
}

async function answerTo(stack: WholeStack, keyId: string, timestamp: string, signature: string) {
  const response = await fetch(stack.demo.base_url + TARGET, {
    method: METHOD,
    headers: {
      'X-Service-Key-Id': keyId,
      'X-Service-Timestamp': timestamp,
      'X-Service-Signature': signature,
      'Idempotency-Key': randomUUID(),
    },
    body: BODY,
  })
  return { status: response.status, body: (await response.json()) as ErrorBody }
}

/** Breaks the samples of the guide to signing in every way that has a hint. */
export function describeBrokenSamples(system: () => System): void {
  describe('the samples of the guide to signing with a mistake', () => {
    let key: RotatedKey
    beforeAll(async () => void (key = await rotatedKey(system().stack)))

    it.each(runnableSamples.map((language) => [language.name, language] as const))(
      'get the hint that names it, in %s',
      async (_name, language) => {
        const { stack } = system()
        const timestamp = String(Math.floor(Date.now() / 1000))
        const made = await brokenSignatures(language, key, timestamp)
        const answers = new Map<string, SignatureHint | number | undefined>()
        await eventually(async () => {
          for (const [mistake, signature] of made) {
            const { status, body } = await answerTo(stack, key.keyId, timestamp, signature)
            answers.set(mistake, status === 401 ? body.error.details?.[0]?.hint : status)
          }
          expect(Object.fromEntries(answers)).toEqual({
            ...Object.fromEntries([...made.keys()].map((mistake) => [mistake, mistake])),
            right: 405,
          })
        })
      },
      90_000,
    )
  })
}
