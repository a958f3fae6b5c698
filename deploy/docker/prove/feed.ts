// node feed.ts <demo.json>: prints the number of reservations in the feed of each demo connection, as JSON by property
// id.
import { readFileSync } from 'node:fs'
import type { DemoContents } from '@connectivity/toolkit/hand-over'
import { pullFeed } from '@connectivity/toolkit/partner'

const [, , file] = process.argv
if (!file) throw new Error('usage: feed.ts <demo.json>')
const { base_url, applications } = JSON.parse(readFileSync(file, 'utf8')) as DemoContents
const counts: Record<string, number> = {}
for (const connection of applications.flatMap((application) => application.connections)) {
  const { status, reservations } = await pullFeed(base_url, connection)
  if (!reservations) throw new Error(`GET /reservations of ${connection.property_id} answered ${status}`)
  counts[connection.property_id] = reservations.size
}
process.stdout.write(JSON.stringify(counts))
