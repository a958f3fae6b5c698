import { parser } from '@prometheus-io/lezer-promql'
import type { SyntaxNodeRef } from '@lezer/common'
import type { Metric } from './metrics.js'

/** A parsed query: metrics by name, and the labels that select each. */
interface Query {
  isBroken: boolean
  selectors: { name: string; labels: string[] }[]
}

/** Replaces variables as Grafana does. */
const filledIn = (expression: string): string =>
  expression
    .replaceAll('$__rate_interval', '5m')
    .replaceAll('$job', 'gateway')
    .replaceAll('${datasource}', 'prometheus')

/** Reads PromQL by the grammar of Prometheus' own editor. */
function readQuery(expression: string): Query {
  const text = filledIn(expression)
  const query: Query = { isBroken: false, selectors: [] }
  parser.parse(text).iterate({ enter: (node) => note(node, text, query) })
  return query
}

function note(node: SyntaxNodeRef, text: string, query: Query): void {
  const of = (at: SyntaxNodeRef): string => text.slice(at.from, at.to)
  if (node.type.isError) query.isBroken = true
  if (node.name === 'VectorSelector') query.selectors.push({ name: of(node.node.firstChild!), labels: [] })
  if (node.name === 'LabelName' && node.node.parent?.name === 'UnquotedLabelMatcher') {
    query.selectors.at(-1)!.labels.push(of(node))
  }
}

/** Labels that Prometheus and its discovery add to every series. */
const OF_TARGETS = ['job', 'pod', 'namespace', 'instance']
/** Suffixes of a histogram's series. */
const OF_HISTOGRAMS = /_(bucket|sum|count)$/

/** Series of other exporters than our services, by their documentation. */
const others: readonly Metric[] = [
  { name: 'up', kind: 'gauge', labels: [] },
  { name: 'kube_job_failed', kind: 'gauge', labels: ['job_name', 'condition'] },
  { name: 'kube_horizontalpodautoscaler_status_desired_replicas', kind: 'gauge', labels: ['horizontalpodautoscaler'] },
  { name: 'kube_horizontalpodautoscaler_spec_max_replicas', kind: 'gauge', labels: ['horizontalpodautoscaler'] },
  { name: 'kubelet_volume_stats_available_bytes', kind: 'gauge', labels: ['persistentvolumeclaim'] },
  { name: 'kubelet_volume_stats_capacity_bytes', kind: 'gauge', labels: ['persistentvolumeclaim'] },
  // `cnpg_io_cluster` comes from the PodMonitor in deploy/kubernetes/platform/monitoring.
  { name: 'cnpg_collector_up', kind: 'gauge', labels: ['cluster', 'cnpg_io_cluster'] },
  { name: 'cnpg_backends_total', kind: 'gauge', labels: ['state', 'cnpg_io_cluster'] },
  { name: 'cnpg_pg_replication_lag', kind: 'gauge', labels: ['cnpg_io_cluster'] },
  { name: 'cnpg_pg_database_size_bytes', kind: 'gauge', labels: ['datname', 'cnpg_io_cluster'] },
  { name: 'cnpg_pg_stat_archiver_failed_count', kind: 'counter', labels: ['cnpg_io_cluster'] },
  { name: 'cnpg_pg_stat_archiver_archived_count', kind: 'counter', labels: ['cnpg_io_cluster'] },
  {
    name: 'barman_cloud_cloudnative_pg_io_last_available_backup_timestamp',
    kind: 'gauge',
    labels: ['cnpg_io_cluster'],
  },
  { name: 'kafka_server_replicamanager_underreplicatedpartitions', kind: 'gauge', labels: [] },
  { name: 'kafka_server_replicamanager_underminisrpartitioncount', kind: 'gauge', labels: [] },
  { name: 'kafka_controller_kafkacontroller_offlinepartitionscount', kind: 'gauge', labels: [] },
  { name: 'kafka_consumergroup_lag', kind: 'gauge', labels: ['consumergroup', 'topic', 'partition'] },
  { name: 'kafka_consumergroup_current_offset', kind: 'gauge', labels: ['consumergroup', 'topic', 'partition'] },
  { name: 'certmanager_certificate_expiration_timestamp_seconds', kind: 'gauge', labels: ['name'] },
  { name: 'externalsecret_status_condition', kind: 'gauge', labels: ['name', 'condition', 'status'] },
]

/** Faults of a query, given the existing metrics; empty when there are none. */
export function faultsOfQuery(expression: string, exported: readonly Metric[]): string[] {
  const { isBroken, selectors } = readQuery(expression)
  if (isBroken || selectors.length === 0) return [`not PromQL: ${expression}`]
  return selectors.flatMap(({ name, labels }) => {
    const metric = metricOf(name, [...exported, ...others])
    if (metric === undefined) return [`nothing exports ${name}`]
    const known = [...metric.labels, ...OF_TARGETS, ...(name.endsWith('_bucket') ? ['le'] : [])]
    const unknown = labels.filter((label) => !known.includes(label))
    return unknown.map((label) => `${name} has no label ${label}`)
  })
}

const metricOf = (name: string, metrics: readonly Metric[]): Metric | undefined =>
  metrics.find((metric) =>
    metric.kind === 'histogram'
      ? OF_HISTOGRAMS.test(name) && metric.name === name.replace(OF_HISTOGRAMS, '')
      : metric.name === name,
  )
