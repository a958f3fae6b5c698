// A partner's receiver as a separate process: one server, a path for each callback. It answers as its path says, and
// reports the received events and whether any reservation's events arrived out of order.
import { createServer } from 'node:http'

const HANGING = /^\/hanging\//
const FAILING = /^\/failing\//

const seen = { events: 0, wellEvents: 0, outOfOrder: 0, firstAt: 0, lastAt: 0, lastWellAt: 0, delays: [] }
const latest = new Map()

function note(path, event, at) {
  seen.events += 1
  seen.firstAt ||= at
  seen.lastAt = at
  const key = `${path} ${event.reservation_id}`
  if (event.sequence < (latest.get(key) ?? 0)) seen.outOfOrder += 1
  latest.set(key, event.sequence)
  if (HANGING.test(path) || FAILING.test(path)) return
  seen.wellEvents += 1
  seen.lastWellAt = at
  seen.delays.push(at - Date.parse(event.occurred_at))
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const event = JSON.parse(Buffer.concat(chunks))
    if (event.challenge) return response.end(JSON.stringify({ challenge: event.challenge }))
    note(request.url, event, Date.now())
    if (HANGING.test(request.url)) return
    response.statusCode = FAILING.test(request.url) ? 500 : 204
    response.end()
  })
})

process.on('message', (what) => {
  if (what === 'report') return process.send(seen)
  Object.assign(seen, { events: 0, wellEvents: 0, outOfOrder: 0, firstAt: 0, lastAt: 0, lastWellAt: 0, delays: [] })
})
server.listen(0, '127.0.0.1', () => process.send(server.address().port))
