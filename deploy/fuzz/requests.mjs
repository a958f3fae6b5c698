// Requests to an operation of the description: as it asks for them, and distorted in every part.
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { distorted, hostileText, hostileValue } from './hostile.mjs'

const OFTEN = 9
const MANY_BRACKETS = 5_000

/** One in so many goes wrong by itself; mostly one thing at a time leads further than everything at once. */
const rarely = (usual, odd) => fc.oneof({ weight: OFTEN, arbitrary: usual }, { weight: 1, arbitrary: odd })

const rawBodies = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom('', '{', '{"a":1,"a":2}', '{"__proto__":{"a":1}}', '[]', 'null', '"', '{"a":1}{', '﻿{}', '{"a":01}'),
  fc.constant('['.repeat(MANY_BRACKETS)),
  hostileValue.map((value) => JSON.stringify(value)),
)

const escaped = (text) => encodeURIComponent(text.toWellFormed())
const oddSegments = fc.oneof(
  hostileText.map(escaped),
  fc.constantFrom('%ZZ', '%C0%AF', '%2e%2e', '', '%00', '+', ';a=b', 'a%2Fb'),
)

/** Header values that can be sent at all. */
const headerText = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((c) => String.fromCharCode(c)),
  maxLength: 300,
})

const idempotencyKeys = rarely(
  fc.constant(null).map(() => randomUUID()),
  fc.oneof(headerText, fc.constant(undefined), fc.constant(''), fc.constant('same-key-every-time')),
)

const contentTypes = rarely(
  fc.constant('application/json'),
  fc.oneof(headerText, fc.constantFrom(undefined, 'text/plain', 'application/json; charset=latin1', 'application/xml')),
)

export class Requests {
  /**
   * @param {object} document the OpenAPI description
   * @param {import('./schema-values.mjs').SchemaValues} values
   */
  constructor(document, values) {
    this.document = document
    this.values = values
  }

  /** @returns an arbitrary of `{ method, path, headers, body, isSigned }` */
  to(method, template, operation) {
    const parameters = (operation.parameters ?? []).map((given) => this.resolved(given))
    return fc.record({
      method: fc.constant(method.toUpperCase()),
      path: fc.tuple(this.path(template, parameters), this.query(parameters)).map((parts) => parts.join('')),
      headers: this.headers(method, parameters),
      body: operation.requestBody ? this.body(operation.requestBody) : fc.constant(null),
      isSigned: rarely(fc.constant(true), fc.boolean()),
    })
  }

  resolved(given) {
    return given.$ref ? this.document.components.parameters[given.$ref.split('/').at(-1)] : given
  }

  path(template, parameters) {
    const segments = template.split('/').map((segment) => {
      const name = /^\{(.*)\}$/.exec(segment)?.[1]
      if (!name) return fc.constant(segment)
      const { schema } = parameters.find((one) => one.in === 'path' && one.name === name)
      const usual = this.values.of(schema, template.includes('/reservations/') ? 'reservation_id' : 'property_id')
      return rarely(usual.map(escaped), oddSegments)
    })
    return fc.tuple(...segments).map((parts) => parts.join('/'))
  }

  query(parameters) {
    const pairs = parameters
      .filter((one) => one.in === 'query')
      .map(({ name, schema, required }) => {
        const usual = this.values.of(schema, name).map((value) => [[name, escaped(String(value))]])
        const odd = oddSegments.map((text) => [[name, text]])
        const twice = fc.tuple(usual, usual).map(([first, second]) => [...first, ...second])
        const given = fc.oneof({ weight: OFTEN, arbitrary: usual }, odd, { weight: 1, arbitrary: twice })
        return required ? rarely(given, fc.constant([])) : fc.oneof(given, fc.constant([]))
      })
    const unknown = rarely(
      fc.constant([]),
      oddSegments.map((text) => [[text, text]]),
    )
    return fc.tuple(...pairs, unknown).map((lists) => {
      const text = lists
        .flat()
        .map((pair) => pair.join('='))
        .join('&')
      return text === '' ? '' : `?${text}`
    })
  }

  headers(method, parameters) {
    const taken = parameters.filter((one) => one.in === 'header').map(({ name }) => name.toLowerCase())
    return fc
      .record({
        'idempotency-key': taken.includes('idempotency-key') ? idempotencyKeys : fc.constant(undefined),
        'content-type': method === 'get' ? fc.constant(undefined) : contentTypes,
        'if-none-match': taken.includes('if-none-match')
          ? fc.oneof(fc.constant(undefined), headerText)
          : fc.constant(undefined),
        'x-correlation-id': rarely(fc.constant(undefined), headerText),
      })
      .map((headers) => Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)))
  }

  body({ content }) {
    const usual = distorted(this.values.of(content['application/json'].schema)).map((value) => JSON.stringify(value))
    return rarely(usual, rawBodies)
  }
}
