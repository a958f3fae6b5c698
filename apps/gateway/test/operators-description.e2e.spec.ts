import { readFileSync } from 'node:fs'
import { OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { OperatorMethods } from '../src/operators/operator-methods.service.js'
import { GatewayUnderTest } from './gateway-under-test.js'

/** Parts of GET /dead-letters and of the overview that gateways ask each service for, themselves included. */
const QUESTIONS = ['GET /dead-letters/gateway', 'POST /dead-letters/gateway/counts']

interface Description {
  paths: Record<string, Record<string, object>>
}

describe('the description of the operators’ interface', () => {
  const gateway = new GatewayUnderTest()
  let description: Description

  beforeAll(async () => {
    await gateway.start()
    description = (await gateway.ops('GET', '/openapi.json')).json as unknown as Description
  })
  afterAll(() => gateway.stop())

  it('names every call that the gateway serves, and no others', () => {
    const served = gateway.app
      .get(OperatorMethods)
      ['routes'].filter(({ method }) => method !== 'HEAD')
      .map(({ method, path }) => `${method} ${path.source.replaceAll('\\/', '/').slice(1, -1)}`)
      .map((call) => call.replace(OPERATORS_PATH, ''))
      .filter((call) => !QUESTIONS.includes(call))
      .map((call) => call.replace('/dead-letters/gateway/', '/dead-letters/[^/]+/'))
    const described = Object.entries(description.paths).flatMap(([path, calls]) =>
      Object.keys(calls).map((method) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '[^/]+')}`),
    )
    expect(described.toSorted()).toEqual([...new Set(served)].toSorted())
  })

  it('is the committed one', () => {
    expect(description).toEqual(JSON.parse(readFileSync('docs/operators-openapi.json', 'utf8')))
  })
})
