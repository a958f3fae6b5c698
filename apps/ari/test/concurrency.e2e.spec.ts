import { randomUUID } from 'node:crypto'
import type { AriState, AriWritten } from '@connectivity/contracts/ari'
import { eventually } from '@connectivity/testing/eventually'
import type { ServiceProcess } from '@connectivity/testing/service-process'
import { type AriProcess, ariProcess } from './ari-process.js'
import { day, ofPlan, ofRoom, PropertyUnderTest } from './property-under-test.js'

/** Writing time, s; acceptance uses 30. */
const SECONDS = Number(process.env.ARI_WRITERS_SECONDS ?? 4)
const WRITERS = 16
const DAYS = 20
const rooms = ['rm_1', 'rm_2', 'rm_3']

let ari: AriProcess
let property: PropertyUnderTest
let replicas: ServiceProcess[]
beforeAll(async () => {
  ari = await ariProcess()
  replicas = [ari.service, await ari.startReplica()]
  property = await PropertyUnderTest.arrive(ari)
})
afterAll(() => ari.end())

interface Request {
  marker: number
  from: number
  to: number
}

/** Writes one mark to every cell of a few days: availability of all rooms and their price. */
const updatesOf = ({ marker, from, to }: Request) =>
  rooms.flatMap((room_id) => {
    const given = { room_id, date_from: day(from), date_to: day(to) }
    return [ofRoom(marker, given), ofPlan({ ...given, rates: [{ amount: `${marker}.00` }] })]
  })

const random = (below: number) => Math.floor(Math.random() * below)

/** Returns the mark of each cell. */
function marksOf({ rooms, rate_plans }: AriState): Map<string, number> {
  const ofRooms = rooms.flatMap(({ room_id, days }) =>
    days.map(({ date, availability }) => [`room ${room_id} ${date}`, availability!] as const),
  )
  const ofPlans = rate_plans.flatMap(({ room_id, days }) =>
    days.map(({ date, rates }) => [`price ${room_id} ${date}`, Number(rates[0]!.amount)] as const),
  )
  return new Map([...ofRooms, ...ofPlans])
}

function mark(marks: Map<string, number>, { marker, from, to }: Request): void {
  for (const room of rooms) {
    for (let offset = from; offset <= to; offset++) {
      marks.set(`room ${room} ${day(offset)}`, marker)
      marks.set(`price ${room} ${day(offset)}`, marker)
    }
  }
}

it(`${WRITERS} writers of the same cells at two processes for ${SECONDS} s and a reader see whole calls only, in one order without gaps`, async () => {
  const end = Date.now() + SECONDS * 1000
  const applied: (Request & { revision: number })[] = []
  const refused: unknown[] = []
  const seen: AriState[] = []
  let markers = 0

  async function write(connectionId: string, at: ServiceProcess): Promise<void> {
    while (Date.now() < end) {
      const from = random(DAYS)
      const request = { marker: ++markers, from, to: Math.min(DAYS - 1, from + random(10)) }
      const body = { property_id: connectionId, currency: 'EUR', updates: updatesOf(request) }
      const key = randomUUID()
      // On a busy machine a call may wait too long; partners then send it again.
      const insist = async (): ReturnType<typeof ari.write> => {
        const answer = await ari.write(body, { key, at })
        return answer.status === 503 ? insist() : answer
      }
      const { status, json } = await insist()
      if (status === 200) applied.push({ ...request, revision: (json as unknown as AriWritten).ari_revision })
      else refused.push([status, json])
    }
  }
  async function read(): Promise<void> {
    while (Date.now() < end) seen.push(await property.state(0, DAYS))
  }
  const connections = [property.connectionId, property.otherConnectionId]
  await Promise.all([
    ...Array.from({ length: WRITERS }, (_, index) => write(connections[index % 2]!, replicas[(index >> 1) % 2]!)),
    read(),
  ])

  expect(refused).toEqual([])
  applied.sort((a, b) => a.revision - b.revision)
  const revisions = applied.map((_, index) => index + 1)
  expect(applied.map(({ revision }) => revision)).toEqual(revisions)
  seen.push(await property.state(0, DAYS))
  expect(seen.at(-1)!.ari_revision).toBe(applied.length)
  const marks = new Map<string, number>()
  let revision = 0
  for (const state of seen.sort((a, b) => a.ari_revision - b.ari_revision)) {
    while (revision < state.ari_revision) mark(marks, applied[revision++]!)
    expect(new Map([...marksOf(state)].sort())).toEqual(new Map([...marks].sort()))
  }
  await eventually(() => expect(property.published().map((message) => message.ari_revision)).toEqual(revisions))
  process.stdout.write(`${applied.length} calls applied, ${seen.length} states read\n`)
})
