export { as, cautionsOf, type ConfigKey, type ConfigKeys, type ConfigOf, readConfig } from './config.js'
