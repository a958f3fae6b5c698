// node feed.mjs <demo.json>: how many reservations the feed of each demo connection serves, when it serves what the
// last event said. Printed as JSON by property id.
import { readFileSync } from 'node:fs'
import { pullFeed } from '../../local/demo/partner.mjs'

const { base_url, applications } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const counts = {}
for (const connection of applications.flatMap((application) => application.connections)) {
  const { status, reservations } = await pullFeed(base_url, connection)
  if (!reservations) throw new Error(`GET /reservations of ${connection.property_id} answered ${status}`)
  counts[connection.property_id] = reservations.size
}
process.stdout.write(JSON.stringify(counts))
