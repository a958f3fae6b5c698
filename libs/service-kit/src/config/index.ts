export { Authorities } from './authorities.js'
export { as, cautionsOf, type ConfigKey, type ConfigKeys, type ConfigOf, readConfig } from './config.js'
