import { metricsOf, sumOfMetric } from '@connectivity/toolkit/metrics'

/** Reads the count of one process from its metrics. @param port of its metrics */
export const lostWakeUpsOf = async (port: number): Promise<number> =>
  sumOfMetric(await metricsOf(`http://127.0.0.1:${port}`), 'connectivity_waits_ended_total', 'by="backstop"')
