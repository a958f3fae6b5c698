import { NetworkPath } from '@connectivity/toolkit/network-path'

/** A wire to a Kafka broker that a test can cut. */
export interface BrokerWire {
  proxy: NetworkPath
  /** Module for `ServiceProcess`: connections to any address that the broker advertises go through the wire. */
  preloaded: string
}

/** @param broker `host:port`, as the broker advertises itself; existing direct connections stay direct */
export async function brokerWire(broker: string): Promise<BrokerWire> {
  const { path: proxy, url } = await NetworkPath.before(`kafka://${broker}`)
  const [from, to] = [new URL(`kafka://${broker}`).port, new URL(url).port]
  const source = `import net from 'node:net'
    const { connect } = net
    net.connect = (options, ...rest) => connect(options?.port === ${from} ? { ...options, port: ${to} } : options, ...rest)`
  return { proxy, preloaded: `data:text/javascript,${encodeURIComponent(source)}` }
}
