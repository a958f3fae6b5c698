// The five services.
import type { PortName } from '../machine/ports.ts'

/** Names of a service. */
interface Names {
  /** Name of its folder and process. */
  name: string
  /** Name in messages. */
  title: string
  database: string
  /** Port of its probes. */
  port: PortName
}

/** All services. */
export const services = [
  { name: 'gateway', title: 'gateway', database: 'gateway', port: 'gatewayPrivate' },
  { name: 'catalog', title: 'catalog', database: 'catalog', port: 'catalog' },
  { name: 'reservation-feed', title: 'reservation feed', database: 'reservation_feed', port: 'reservationFeed' },
  { name: 'ari', title: 'ari', database: 'ari', port: 'ari' },
  { name: 'event-dispatch', title: 'event dispatch', database: 'event_dispatch', port: 'eventDispatch' },
] as const satisfies readonly Names[]

/** One of the services. */
export type Service = (typeof services)[number]

/** Name of a service's database. */
export type Database = Service['database']

/** A service behind the gateway. */
export type Upstream = Exclude<Service, { name: 'gateway' }>

/** The services behind the gateway. */
export const upstreams = services.filter((service): service is Upstream => service.name !== 'gateway')
