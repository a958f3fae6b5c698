import { answerOf, RequestError } from '@connectivity/ui'
import { type QueryClient, useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'

const SESSION = ['session']
const NOT_SIGNED_IN = 401

const isRefused = (error: unknown): boolean => error instanceof RequestError && error.status === NOT_SIGNED_IN

/** User of the portal. */
interface Session {
  email: string
  mayChange: boolean
  endsAt: string
}

async function readSession(): Promise<Session | null> {
  try {
    const { email, role, session_expires_at } = await answerOf(api.GET('/auth/health'))
    return { email: email ?? '', mayChange: role === 'developer', endsAt: session_expires_at ?? '' }
  } catch (error) {
    if (isRefused(error)) return null
    throw error
  }
}

/** The session; null without one. @param isEnabled whether it may be read now */
export const useSession = (isEnabled = true) =>
  useQuery({ queryKey: SESSION, queryFn: readSession, enabled: isEnabled })

/** Whether the person may make changes; a viewer may not. */
export const useMayChange = (): boolean => useSession().data?.mayChange ?? false

/** Forgets all read data, so that nothing of a session is shown after it. */
export function endSession(client: QueryClient): void {
  client.setQueryData(SESSION, null)
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] })
}

/** Ends the session when the interface no longer accepts it. */
export function endIfRefused(error: Error, client: QueryClient): void {
  if (isRefused(error)) endSession(client)
}

/** Reads the session again after signing in. */
export const renewSession = (client: QueryClient): Promise<void> => client.invalidateQueries({ queryKey: SESSION })
