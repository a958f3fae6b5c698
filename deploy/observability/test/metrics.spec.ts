import { documentedMetrics, exportedMetrics, type Metric } from './metrics.js'

const inOrder = (metrics: readonly Metric[]): Metric[] =>
  metrics.map((metric) => ({ ...metric, labels: [...metric.labels].sort() })).sort((a, b) => (a.name < b.name ? -1 : 1))

describe('the table of metrics', () => {
  it('names exactly the metrics that the services export, with kinds and labels', async () => {
    const ours = (await exportedMetrics()).filter(({ name }) => name.startsWith('connectivity_'))
    expect(ours.length).toBeGreaterThan(20)
    expect(inOrder(documentedMetrics())).toEqual(inOrder(ours))
  })
})
