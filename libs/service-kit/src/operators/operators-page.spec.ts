import type { FastifyRequest } from 'fastify'
import { newId } from '../text/ids.js'
import { pageOf, readFilters, readPage } from './operators-page.js'

describe('a cursor of an operators’ list', () => {
  const asked = (cursor: string) => ({ originalUrl: `/ops/v1/applications?cursor=${cursor}` }) as FastifyRequest
  const invalid = expect.objectContaining({ status: 400, code: 'invalid_cursor' })
  const first = newId('app')
  const filters = { state: 'pilot', from: new Date(0), to: undefined }
  const page = readPage({ originalUrl: '/ops/v1/applications' } as FastifyRequest, 'applications', filters)
  const shown = pageOf('items', [first, newId('app')], { ...page, limit: 1 }, String, (id) => ({ id })) as {
    pagination: { next_cursor: string }
  }
  const cursor = shown.pagination.next_cursor

  it('continues after the last item, at every instance', () => {
    expect(readPage(asked(cursor), 'applications', { ...filters }).after).toBe(first)
  })

  it('is refused when a character is changed, or the end or the beginning is missing', () => {
    const changed = [...cursor].map((character, at) => {
      return cursor.slice(0, at) + (character === 'A' ? 'B' : 'A') + cursor.slice(at + 1)
    })
    const cut = [...cursor].map((_character, at) => cursor.slice(0, at + 1)).slice(0, -1)
    for (const bad of [...changed, ...cut, cursor.slice(11), Buffer.from(first).toString('base64url')]) {
      expect(() => readPage(asked(bad), 'applications', filters)).toThrow(invalid)
    }
  })

  it('is refused by another list and with other filters', () => {
    expect(() => readPage(asked(cursor), 'connections', filters)).toThrow(invalid)
    for (const other of [{}, { ...filters, state: 'closed' }, { ...filters, from: new Date(1) }]) {
      expect(() => readPage(asked(cursor), 'applications', other)).toThrow(invalid)
    }
  })

  it('is refused when its place has not the form of the list', () => {
    expect(() => readPage(asked(cursor), 'applications', filters, () => false)).toThrow(invalid)
  })
})

describe('filters of an operators’ list', () => {
  it('are those that the request gives', () => {
    const request = { originalUrl: '/ops/v1/connections?state=pilot&other=1&limit=5' } as FastifyRequest
    expect(readFilters(request, 'application_id', 'state')).toEqual({ state: 'pilot' })
  })
})
