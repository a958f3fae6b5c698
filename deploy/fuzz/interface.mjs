// The partner interface under requests of every kind: each answer must be one that the description promises.
import fc from 'fast-check'
import { faultsOf, operationFor } from './judgement.mjs'
import { Requests } from './requests.mjs'
import { SchemaValues } from './schema-values.mjs'

const AT_ONCE = 6

/** Every operation as `[method, template, operation]`. */
export const operationsOf = (document) =>
  Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => [method, template, operation]),
  )

/** Sends one request and tells what is wrong with its answer. */
async function ask({ partner, document, schemas }, request) {
  const answer = await partner.send(request)
  const operation = operationFor(document, request.method, request.path)
  return { answer, faults: faultsOf({ operation, schemas }, answer) }
}

/**
 * @param {{ partner: object, document: object, schemas: object, known: Record<string, unknown[]> }} context
 * @param {{ inputs: number, seed: number, only?: string }} options `inputs` in all
 * @returns {Promise<{ sent: number, statuses: Map<string, Map<number, number>>, failures: { name: string, request: object, faults: string[] }[] }>}
 *   how often each operation answered what; failures shrunk to the least request that shows them
 */
export async function fuzzInterface(context, { inputs, seed, only }) {
  const operations = operationsOf(context.document).filter(([method, path]) => !only || `${method} ${path}` === only)
  const requests = new Requests(context.document, new SchemaValues(context.document, context.known))
  const outcome = { sent: 0, statuses: new Map(), failures: [] }
  const waiting = [...operations]
  const runs = Math.ceil(inputs / operations.length)
  const worker = async () => {
    for (let next; (next = waiting.shift());) await fuzzOperation(next, requests, { ...context, outcome, runs, seed })
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return outcome
}

async function fuzzOperation([method, template, operation], requests, { outcome, runs, seed, ...context }) {
  const statuses = new Map()
  outcome.statuses.set(`${method} ${template}`, statuses)
  const property = fc.asyncProperty(requests.to(method, template, operation), async (request) => {
    const { answer, faults } = await ask(context, request)
    outcome.sent += 1
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    if (faults.length > 0) throw new Error(`${answer.status} ${answer.text.slice(0, 300)}: ${faults.join('; ')}`)
  })
  const { failed, counterexample, errorInstance } = await fc.check(property, { numRuns: runs, seed })
  if (!failed) return
  const [request] = counterexample
  outcome.failures.push({ name: `${method} ${template}`, request, faults: [errorInstance.message] })
}
