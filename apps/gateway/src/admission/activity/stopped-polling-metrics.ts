import { Gauge } from 'prom-client'

let count = async (): Promise<void> => undefined

/** Sets the function that counts connections which stopped polling, whenever the metrics are read. */
export const countStoppedPollingWith = (counter: () => Promise<void>): void => void (count = counter)

/** Number of connections whose partner has stopped polling; every gateway exports the same figure. */
export const stoppedPolling = new Gauge({
  name: 'connectivity_connections_silent',
  help: 'Connections in production that polled in the last seven days, but not in the last 30 minutes.',
  collect: () => count(),
})
