// Pages and idle polls through gateway and feed: the figures of `npm run bench -- gateway`.
export { bench as measure } from '../gateway.mjs'
