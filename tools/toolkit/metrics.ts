// Reads the metrics that a process shows to Prometheus.

/** The metrics of a process as text. @param origin of its probes, such as `http://127.0.0.1:8081` */
export const metricsOf = async (origin: string | URL): Promise<string> =>
  (await fetch(new URL('/metrics', origin))).text()

/**
 * Sum of a gauge or counter over its series; 0 without one.
 * @param label text that the labels of a series contain, such as `by="change"`; any by default
 */
export const sumOfMetric = (text: string, metric: string, label = ''): number =>
  text
    .split('\n')
    .filter((line) => line.startsWith(`${metric} `) || line.startsWith(`${metric}{`))
    .filter((line) => line.includes(label))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
