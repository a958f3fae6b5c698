import { plot } from './plot.ts'
import { figureText, Report, type Table, tableText } from './report.ts'

const table: Table = {
  title: 'pages',
  unit: 'µs per request',
  rows: [
    { name: 'floor', cpu: { floor: 100.44, PostgreSQL: 50 }, also: { 'requests/s': 12_345.6 } },
    { name: 'gateway + feed', cpu: { gateway: 150, feed: 90, PostgreSQL: 60 }, also: { 'requests/s': 3_000 } },
  ],
}

describe('a report', () => {
  it('shows the use of each process and the total', () => {
    expect(tableText(table)).toBe(
      'pages\n\n' +
        '|  | CPU, µs per request | sum | requests/s |\n' +
        '| --- | --- | --- | --- |\n' +
        '| floor | floor 100, PostgreSQL 50 | 150 | 12,300 |\n' +
        '| gateway + feed | gateway 150, feed 90, PostgreSQL 60 | 300 | 3,000 |\n',
    )
  })

  it('says whether a figure reached its aim', () => {
    expect(figureText({ name: 'ratio', value: 0.5, atLeast: 0.5 })).toBe('ratio: **0.5** (aim ≥ 0.5: reached)')
    expect(figureText({ name: 'ratio', value: 0.49, atLeast: 0.5 })).toContain('missed')
    expect(figureText({ name: 'p50', value: 10.1, unit: 'ms', atMost: 10 })).toBe(
      'p50: **10.1 ms** (aim ≤ 10 ms: missed)',
    )
    expect(figureText({ name: 'fill', value: 2, unit: 's' })).toBe('fill: **2 s**')
  })

  it('prints and keeps each table and figure', () => {
    let printed = ''
    const report = new Report((text) => void (printed += text))
    report.table(table)
    report.figure({ name: 'ratio', value: 1 })
    expect(report).toMatchObject({ tables: [table], figures: [{ name: 'ratio', value: 1 }] })
    expect(printed).toBe(`\n${tableText(table)}\nratio: **1**\n`)
  })
})

describe('a plot', () => {
  it('draws a bar for each process of each row', async () => {
    const svg = (await plot(table))!
    for (const word of ['<svg', 'gateway + feed', 'PostgreSQL', 'CPU, µs per request']) expect(svg).toContain(word)
    expect(svg.match(/aria-roledescription="bar"/g)).toHaveLength(5)
  })

  it('is omitted for a table without costs', async () => {
    expect(await plot({ title: 'latencies', rows: [{ name: 'a', also: { p50: 1 } }] })).toBeNull()
  })
})
