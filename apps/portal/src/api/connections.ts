import { answerOf } from '@connectivity/ui'
import { useQuery } from '@tanstack/react-query'
import { api, type Schemas } from './client.ts'

/** A connection of the application. */
export type Connection = Schemas['PropertyConnection']

/** Interval at which figures of connections are read again, ms. */
const REFRESH = 15_000

/** Every connection of the application. */
export const useConnections = () =>
  useQuery({
    queryKey: ['connections'],
    queryFn: async () => (await answerOf(api.GET('/properties'))).properties,
    refetchInterval: REFRESH,
  })

/** The property's name; its external id until the catalog has arrived. */
export const nameOf = ({ name, external_property_id }: Connection): string => name ?? external_property_id

/** Whether a connection answers calls in each state. */
const serves: Record<Connection['state'], boolean> = {
  provisioning: false,
  pilot: true,
  certification_pending: true,
  production: true,
  disabled: false,
  closed: false,
}

/** Whether the connection answers calls now. */
export const isServing = ({ state }: Connection): boolean => serves[state]

/** Text about the mapped entities, such as `2/3 rooms, 1/2 rate plans`. */
export const mappedOf = ({ mapping }: Connection): string =>
  `${mapping.rooms_mapped}/${mapping.rooms_total} rooms, ${mapping.rate_plans_mapped}/${mapping.rate_plans_total} rate plans`
