import { answerOf, RequestError, useHistoryMoves } from '@connectivity/ui'
import { keepPreviousData, type Query, type QueryClient, useQuery } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { api } from '../api/client.ts'

const SESSION = ['session']
const NOT_SIGNED_IN = 401

/** User of the portal. */
export interface Session {
  email: string
  mayChange: boolean
  endsAt: string
}

const isNoSession = ({ queryKey }: Query): boolean => queryKey[0] !== SESSION[0]

/** Identifies a session among those of this browser. */
export const sessionIdOf = ({ email, endsAt }: Session): string => `${endsAt} ${email}`

/** The session that was read last. */
let current: string | null = null

/** Reads the session. If another one has begun in this browser, forgets everything that was read in the last one. */
async function readSession(client: QueryClient): Promise<Session | null> {
  const { email, role, session_expires_at } = await answerOf(api.GET('/auth/health'))
  const session = { email: email ?? '', mayChange: role === 'developer', endsAt: session_expires_at! }
  const id = sessionIdOf(session)
  if (current !== null && current !== id) void client.resetQueries({ predicate: isNoSession })
  current = id
  return session
}

/**
 * The session; null without one. Every page asks for it again, so that no page of an ended session is shown.
 * @param isEnabled whether it may be read now
 */
export function useSession(isEnabled = true) {
  const [page] = useLocation()
  const moves = useHistoryMoves()
  return useQuery({
    queryKey: [...SESSION, page, moves],
    queryFn: ({ client }) => readSession(client),
    enabled: isEnabled,
    gcTime: 0,
    // The person may have signed in again in another tab.
    refetchOnWindowFocus: 'always',
    placeholderData: keepPreviousData,
  })
}

/** Whether the person may make changes; a viewer may not. */
export const useMayChange = (): boolean => useSession().data?.mayChange ?? false

/** Forgets all read data, so that nothing of a session is shown after it. */
export function endSession(client: QueryClient): void {
  client.setQueriesData({ queryKey: SESSION }, null)
  client.removeQueries({ predicate: isNoSession })
}

/** Ends the session when the interface no longer accepts it. */
export function endIfRefused(error: Error, client: QueryClient): void {
  if (error instanceof RequestError && error.status === NOT_SIGNED_IN) endSession(client)
}
