import { readFileSync } from 'node:fs'
import type { Document, Response } from '../src/openapi/model.js'
import { operatorsFile, snapshotFile } from '../src/files.js'
import { Schemas } from '@connectivity/testing/schemas'

const read = (file: string): Document => JSON.parse(readFileSync(file, 'utf8')) as Document
const document = read(snapshotFile)
const schemas = new Schemas(document)

/** Statuses of a call whose answers may have a header. */
function statusesWith(header: string, method: string, path: string): number[] {
  const { responses } = document.paths[path]![method.toLowerCase()]!
  const having = Object.entries(responses).filter(
    ([, response]) => header in (schemas.resolved<Response>(response).headers ?? {}),
  )
  return having.map(([status]) => Number(status))
}

describe('the headers of the description', () => {
  it.each([
    ['POST', '/properties/{id}/mappings', [200, 404, 409]],
    ['DELETE', '/properties/{id}/callback', [204, 404]],
    ['POST', '/properties/{id}/callback/resume', [200, 404, 409]],
    ['PUT', '/properties/{id}/callback', [200, 201]],
    ['POST', '/reservations/events/replay', [202, 404]],
    ['GET', '/properties/{id}/callback', []],
    ['POST', '/portal/session', []],
  ])('%s %s repeats stored answers of %j', (method, path, statuses) => {
    expect(statusesWith('Idempotent-Replayed', method, path)).toEqual(statuses)
  })

  it('have the cookie that ends a dead session', () => {
    expect(statusesWith('Set-Cookie', 'GET', '/properties')).toEqual([401])
    expect(statusesWith('Set-Cookie', 'DELETE', '/portal/session')).toEqual([204, 401])
    expect(statusesWith('Set-Cookie', 'POST', '/oauth/token')).toEqual([])
  })

  it('have the ETag of mappings that operators write', () => {
    const { responses } = read(operatorsFile).paths['/connections/{id}/mappings']!.put!
    expect(Object.keys((responses['200'] as Response).headers!)).toEqual(['Idempotent-Replayed', 'ETag'])
  })
})
