export { ConnectionStore } from './connection.store.js'
export { ConnectionsModule } from './connections.module.js'
