import { leastCostOf } from '@connectivity/testing/cpu-cost'
import { jsonForms } from './json-forms.js'
import { MAX_JSON_BYTES } from './request-mistakes.js'

describe('the forms of a body', () => {
  it.each(['\\"', '"\\', '"', '\\', '{"a":', '["a",', '"a" '])('cost at most 20 ms if it repeats %s', async (text) => {
    const body = Buffer.from(`"${text.repeat(Math.floor((MAX_JSON_BYTES - 1) / text.length))}`)
    const { cpu } = await leastCostOf(() => jsonForms(body))
    expect(cpu).toBeLessThan(20)
  })

  it('are none for a string without its end', () => {
    expect(jsonForms(Buffer.from('{"a":"\\"'))).toEqual([])
  })
})
