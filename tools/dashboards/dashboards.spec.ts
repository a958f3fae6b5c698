import { dashboards, filledIn, legendOf } from './dashboard-files.js'
import { mayBeEmpty } from './may-be-empty.js'
import { inUnit } from './units.js'

const panels = dashboards().flatMap((dashboard) => dashboard.panels)

describe('a dashboard in a picture', () => {
  it.each([
    [0.0123, 's', '12.3 ms'],
    [90, 's', '1.5 min'],
    [0.0005, 'percentunit', '0.05 %'],
    [3 * 2 ** 20, 'bytes', '3 MiB'],
    [1_250, 'reqps', '1.25 Kreq/s'],
    [0, 'short', '0'],
  ])('shows %s %s as %s', (value, unit, text) => {
    expect(inUnit(value, unit)).toBe(text)
  })

  it('has a scale for the unit of every panel', () => {
    expect(panels.map(({ fieldConfig }) => inUnit(1, fieldConfig.defaults.unit))).toHaveLength(panels.length)
    expect(() => inUnit(1, 'furlongs')).toThrow('furlongs')
  })

  it('fills in every variable', () => {
    expect(panels.flatMap(({ targets }) => targets.map(filledIn)).filter((query) => query.includes('$'))).toEqual([])
  })

  it('names a series by its labels', () => {
    const target = { expr: 'up', legendFormat: '{{job}} {{ pod }}' }
    expect(legendOf(target, { job: 'gateway', pod: 'gateway-2' })).toBe('gateway gateway-2')
  })

  it('is excused from having data only in panels that exist', () => {
    const titles = new Set(panels.map(({ title }) => title))
    expect(Object.keys(mayBeEmpty).filter((title) => !titles.has(title))).toEqual([])
  })
})
