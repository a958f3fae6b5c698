export { Health } from './health.js'
export { followTls, readTls, tlsFolderKey } from './listener-tls.js'
export { type ServiceOptions, startService } from './service.js'
export { behindGatewayKeys, cursorKeys, serviceKeys } from './service-keys.js'
