// Loaded into a service's process before its own modules. A turn of the event loop is all the work that a request finds
// before it; its CPU time shows how long other requests are held up, however busy the machine is.
import { createServer } from 'node:http'

/** Interval of the measurements, ms: shorter turns do not matter. */
const EVERY = 2

const used = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

let before = used()
let longest = 0
setInterval(() => {
  const now = used()
  longest = Math.max(longest, now - before)
  before = now
}, EVERY).unref()

/** Answers with the longest turn since the previous request, ms of CPU. */
createServer((_request, response) => {
  response.end(String(longest))
  longest = 0
})
  .listen(Number(process.env.LONGEST_TURN_PORT), '127.0.0.1')
  .unref()
