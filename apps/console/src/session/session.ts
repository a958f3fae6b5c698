import { answerOf } from '@connectivity/ui'
import { type QueryClient, type QueryFilters, useQuery } from '@tanstack/react-query'
import { api, isTokenRefused, setToken } from '../api/client.ts'

const SESSION = ['session']

/** Selects all read data but the operator. */
export const everythingRead: QueryFilters = { predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] }

/** User of the console, from the claims of the token. */
export interface Operator {
  subject: string
  mayChange: boolean
  /** Whether the gateway no longer accepts the token. */
  hasEnded: boolean
}

/** Reads the claims of a token without checking them; the gateway does that. */
function operatorOf(token: string): Operator {
  try {
    const text = atob(token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0))
    const { sub, roles } = JSON.parse(new TextDecoder().decode(bytes)) as { sub?: string; roles?: unknown }
    const held = Array.isArray(roles) ? roles : []
    return { subject: sub ?? 'unknown', mayChange: held.includes('connectivity:operate'), hasEnded: false }
  } catch {
    throw new Error('This is not an operator token; paste it as your identity provider gave it to you.')
  }
}

/** The operator; null before the sign-in. */
export const useOperator = (): Operator | null =>
  useQuery<Operator | null>({ queryKey: SESSION, queryFn: () => null, staleTime: Infinity, gcTime: Infinity }).data ??
  null

/** Whether the operator may make changes; others get no buttons for them. */
export const useMayChange = (): boolean => useOperator()?.mayChange ?? false

/**
 * Signs in with a token, or with the header's value that begins with `Bearer`.
 * @throws RequestError if the gateway does not accept it
 */
export async function signIn(client: QueryClient, given: string): Promise<void> {
  const token = given.trim().replace(/^Bearer\s+/i, '')
  const operator = operatorOf(token)
  setToken(token)
  try {
    await answerOf(api.GET('/overview', { params: { query: { limit: 1 } } }))
  } catch (error) {
    setToken(null)
    throw error
  }
  const isAgain = client.getQueryData<Operator | null>(SESSION)?.hasEnded
  client.setQueryData(SESSION, operator)
  if (isAgain) void client.invalidateQueries(everythingRead)
}

/** Forgets the token and everything that was read with it. */
export function signOut(client: QueryClient): void {
  setToken(null)
  client.setQueryData(SESSION, null)
  client.removeQueries(everythingRead)
}

/** Asks for a new token when the gateway refuses the current one; read data and typed text stay. */
export function endIfRefused(client: QueryClient): void {
  if (!isTokenRefused()) return
  setToken(null)
  client.setQueryData(SESSION, (operator: Operator | null | undefined) => operator && { ...operator, hasEnded: true })
}
