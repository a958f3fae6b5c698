import { newId } from '../text/ids.js'
import { readConnectionIds } from './connection-ids.js'

describe('connection_ids', () => {
  const ids = Array.from({ length: 100 }, () => newId('con'))

  it('names up to 100 connections; texts that are not ids are left out', () => {
    expect(readConnectionIds(ids.join(','))).toEqual(ids)
    expect(readConnectionIds(`,${ids[0]},\0,\x1f,con`)).toEqual([ids[0]])
  })

  it('is refused when it names more', () => {
    expect(() => readConnectionIds([...ids, newId('con')].join(','))).toThrow(
      expect.objectContaining({ status: 400, details: [expect.objectContaining({ pointer: 'connection_ids' })] }),
    )
  })
})
