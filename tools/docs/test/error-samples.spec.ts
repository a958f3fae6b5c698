import { readFileSync } from 'node:fs'
import type { ErrorBody, ErrorCode } from '@connectivity/contracts/errors'
import type { FeedPage } from '@connectivity/contracts/reservation'
import { type ErrorSamples, readErrorSamples } from '../src/errors/error-samples.js'
import { snapshotFile } from '../src/files.js'
import type { Document, Response } from '../src/openapi/model.js'

const { components, paths } = JSON.parse(readFileSync(snapshotFile, 'utf8')) as Document

/** Bodies of the described refusals by name of their component and code. */
const described = Object.entries(components.responses).flatMap(([name, { content }]) =>
  Object.entries(content!['application/json']!.examples!).map(([code, { value }]) => ({
    code: code as ErrorCode,
    ofTokenCall: name.startsWith('token.'),
    body: value as ErrorBody,
  })),
)

describe('the error samples of the services', () => {
  let samples: ErrorSamples
  beforeAll(async () => {
    samples = await readErrorSamples('src')
  })

  it('are what the description shows', () => {
    for (const { code, ofTokenCall, body } of described) {
      const own = ofTokenCall ? samples.tokenCall[code] : undefined
      expect({ code, body }).toEqual({ code, body: own ?? samples.anyCall[code] })
    }
  })

  it('are all shown', () => {
    const ofTokenCall = described.filter((one) => one.ofTokenCall)
    expect(described.map(({ code }) => code)).toEqual(expect.arrayContaining(Object.keys(samples.anyCall)))
    expect(ofTokenCall.map(({ code }) => code)).toEqual(expect.arrayContaining(Object.keys(samples.tokenCall)))
  })

  it('describe a problem like the page of the feed', () => {
    const { content } = paths['/reservations']!.get!.responses['200'] as Response
    const pages = Object.values(content!['application/json']!.examples!).map(({ value }) => value as FeedPage)
    const [problem] = pages.flatMap(({ errors }) => errors)
    const { error } = samples.anyCall.accommodation_unresolved!
    const { code, message, updated_at, details } = problem!
    expect(error).toMatchObject({
      code,
      message,
      details: details.map((detail) => ({ ...detail, message, updated_at })),
    })
  })
})
