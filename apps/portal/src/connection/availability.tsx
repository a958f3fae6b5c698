import { answerOf, Empty, Loaded, Page, wordsOf } from '@connectivity/ui'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useSearchParams } from 'wouter'
import { api, type Schemas } from '../api/client.ts'
import type { Connection } from '../api/connections.ts'
import classes from './availability.module.css'
import { readEntities } from './catalog.ts'
import type { ConnectionPageProps } from './connection-page.ts'
import { type Entity, keyOf } from './entities.ts'
import { daysOf, isMonth, monthName, monthOf, shifted, todayAt } from './month.ts'

/** One row of the calendar. */
interface Line {
  key: string
  name: string
  /** Name of the room, shown below the name of the plan; null for a room, and for a plan without written days. */
  room: string | null
  /** Texts by day. */
  cells: ReadonlyMap<string, string>
}

type Ari = Schemas['AriState']
type PlanDay = Ari['rate_plans'][number]['days'][number]

const restrictionWords = ({ restrictions }: PlanDay): string[] =>
  Object.entries(restrictions ?? {}).flatMap(([name, value]) => {
    if (value === null || value === false) return []
    return [value === true ? wordsOf(name) : `${wordsOf(name)} ${String(value)}`]
  })

const planText = (day: PlanDay): string =>
  [
    ...day.rates.map(({ occupancy, amount }) => (occupancy === null ? amount : `${occupancy}: ${amount}`)),
    ...restrictionWords(day),
  ].join(', ')

function linesOf(entities: readonly Entity[], { rooms, rate_plans: plans }: Ari): Line[] {
  const label = new Map(entities.map((entity) => [keyOf(entity), entity.label]))
  const ofRooms = entities
    .filter(({ type }) => type === 'room')
    .map(({ id, label: name }): Line => {
      const days = rooms.find(({ room_id }) => room_id === id)?.days ?? []
      return { key: id, name, room: null, cells: new Map(days.map((day) => [day.date, String(day.availability)])) }
    })
  const written = new Set(plans.map(({ rate_plan_id }) => rate_plan_id))
  const unwritten = entities
    .filter(({ type, id }) => type === 'rate_plan' && !written.has(id))
    .map(({ id, label: name }): Line => ({ key: id, name, room: null, cells: new Map() }))
  const ofPlans = plans.map(({ rate_plan_id, room_id, currency, days }): Line => ({
    key: `${rate_plan_id} ${room_id}`,
    name: `${label.get(keyOf({ type: 'rate_plan', id: rate_plan_id })) ?? rate_plan_id} (${currency})`,
    room: label.get(keyOf({ type: 'room', id: room_id })) ?? room_id,
    cells: new Map(days.map((day) => [day.date, planText(day)])),
  }))
  return [...ofRooms, ...ofPlans, ...unwritten]
}

async function readMonth({ property_id }: Connection, month: string): Promise<Line[]> {
  const days = daysOf(month)
  const query = { property_id, date_from: days[0]!, date_to: days.at(-1)! }
  const entities = await readEntities(property_id)
  // Without a catalog the call would be answered with 503.
  if (entities.length === 0) return []
  return linesOf(entities, await answerOf(api.GET('/ari', { params: { query } })))
}

/** The availability and rates written for a month: rooms and plans as rows, days as columns. */
export function Availability({ connection }: ConnectionPageProps) {
  const [params, setParams] = useSearchParams()
  const given = params.get('month') ?? ''
  const month = isMonth(given) ? given : monthOf(todayAt(connection.timezone))
  const lines = useQuery({
    queryKey: ['availability', connection.property_id, month],
    queryFn: () => readMonth(connection, month),
  })
  const go = (by: number) => setParams({ month: shifted(month, by) })
  return (
    <Page
      title="Availability and rates"
      about={`${monthName(month)}, in the property’s calendar. Empty cells were never written.`}
      actions={
        <>
          <Button variant="default" onClick={() => go(-1)}>
            Previous month
          </Button>
          <Button variant="default" onClick={() => go(1)}>
            Next month
          </Button>
        </>
      }
    >
      <Loaded query={lines}>
        {(found) =>
          found.length === 0 ? (
            <Empty>There are no rooms or rate plans yet. They appear with the property’s catalog.</Empty>
          ) : (
            <Calendar lines={found} month={month} today={todayAt(connection.timezone)} />
          )
        }
      </Loaded>
    </Page>
  )
}

function Calendar({ lines, month, today }: { lines: readonly Line[]; month: string; today: string }) {
  const days = daysOf(month)
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const column = frame.current?.querySelector<HTMLElement>('[aria-current="date"]')
    const names = frame.current?.querySelector<HTMLElement>('th')
    if (column && names) frame.current!.scrollLeft = column.offsetLeft - names.offsetWidth
  }, [month])
  return (
    <div
      ref={frame}
      className={classes.frame}
      tabIndex={0}
      role="region"
      aria-label={`Calendar of ${monthName(month)}`}
    >
      <table className={classes.table} aria-label={`Availability and rates of ${monthName(month)}`}>
        <thead>
          <tr>
            <th scope="col">Room or rate plan</th>
            {days.map((day) => (
              <th scope="col" key={day} aria-current={day === today ? 'date' : undefined}>
                <time dateTime={day}>{Number(day.slice(-2))}</time>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(({ key, name, room, cells }) => (
            <tr key={key}>
              <th scope="row">
                {name}
                {room !== null && <span className={classes.room}>{room}</span>}
              </th>
              {days.map((day) => (
                <td key={day}>{cells.get(day)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
