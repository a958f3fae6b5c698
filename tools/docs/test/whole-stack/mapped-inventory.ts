import type { ListedRoom } from '@connectivity/contracts/catalog-lists'
import type { MappingList } from '@connectivity/contracts/mappings'
import type { System } from './system.js'

const SWAPS = 8
/** Days on which nothing else in the suite writes, one for each swap: no two requests are equal. */
const dayOf = (swap: number): string => `2027-09-0${swap + 1}`

/** Writes inventory by ids that a mapping has just changed. */
export function describeMappedInventory(system: () => System): void {
  describe('inventory written by ids that have just been mapped', () => {
    let id: string
    const change = async <T>(path: string, body: object): Promise<T> => {
      const headers = { 'idempotency-key': crypto.randomUUID() }
      const answer = await system().partner.call('POST', path, { body, headers })
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`)
      return answer.body as T
    }
    /** @returns the version of the mapping, which the next change expects */
    const map = async (ids: Record<string, string>, expected_version?: number) => {
      const written = await change<MappingList>(`/properties/${id}/mappings`, {
        expected_version,
        mappings: Object.entries(ids).map(([service_id, external_id]) => ({
          ...{ entity_type: 'room', service_id, external_id },
        })),
      })
      return written.mapping_version
    }
    const availabilityOf = async (room: string, day: string) => {
      const { body } = await system().partner.call('GET', `/ari?property_id=${id}&date_from=${day}&date_to=${day}`)
      const { rooms } = body as { rooms: { room_id: string; days: { availability: number }[] }[] }
      return rooms.find(({ room_id }) => room_id === room)?.days[0]?.availability
    }

    it('goes to the room that has the id now, also when two rooms swap theirs', async () => {
      id = system().stack.connection.property_id
      const { body } = await system().partner.call('GET', `/catalog/rooms?property_id=${id}`)
      const [one, two] = (body as { rooms: ListedRoom[] }).rooms.filter(({ status }) => status === 'active')
      const rooms = [one!.service_id, two!.service_id] as const
      for (let [swap, version] = [0, undefined as number | undefined]; swap < SWAPS; swap++) {
        const [first, second] = swap % 2 === 0 ? rooms : rooms.toReversed()
        version = await map({ [first!]: 'SWAP-A', [second!]: 'SWAP-B' }, version)
        const day = dayOf(swap)
        const update = { external_room_id: 'SWAP-A', date_from: day, date_to: day, availability: 1 }
        await change('/ari', { property_id: id, updates: [update] })
        expect([await availabilityOf(first!, day), await availabilityOf(second!, day)]).toEqual([1, undefined])
      }
    })
  })
}
