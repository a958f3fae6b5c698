// The five services: folder and process name, database, and the key of its port in config.mjs.
export const services = [
  { name: 'gateway', title: 'gateway', database: 'gateway', port: 'gatewayPrivate' },
  { name: 'catalog', title: 'catalog', database: 'catalog', port: 'catalog' },
  { name: 'reservation-feed', title: 'reservation feed', database: 'reservation_feed', port: 'reservationFeed' },
  { name: 'ari', title: 'ari', database: 'ari', port: 'ari' },
  { name: 'event-dispatch', title: 'event dispatch', database: 'event_dispatch', port: 'eventDispatch' },
]

/** The services behind the gateway. */
export const upstreams = services.filter(({ name }) => name !== 'gateway')
