import { Alert, Loader, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Copyable } from './copyable.tsx'
import { RequestError } from './request-error.ts'

/** Placeholder for something that is being loaded. */
export function Loading({ what = 'Loading' }: { what?: string }) {
  return (
    <Stack align="center" py="xl" gap="xs" role="status" aria-busy>
      <Loader size="sm" />
      <Text size="sm" c="dimmed">
        {what}…
      </Text>
    </Stack>
  )
}

/** Tells the reader that there is nothing, and what would make it appear. */
export function Empty({ children }: { children: ReactNode }) {
  return (
    <Text ta="center" c="dimmed" py="xl">
      {children}
    </Text>
  )
}

/** Shows why something failed, with the faults and the id under which operations find the request. */
export function Failure({ error, title = 'This did not work' }: { error: Error; title?: string }) {
  const refused = error instanceof RequestError ? error : null
  return (
    <Alert color="red" title={title} role="alert" variant="default" styles={{ title: { color: 'var(--ui-bad)' } }}>
      <Stack gap="xs">
        <Text size="sm">{error.message}</Text>
        {refused && refused.details.length > 0 && (
          <ul>
            {refused.details.map(({ pointer, message }) => (
              <li key={pointer + message}>
                <Text size="sm">{pointer === '' ? message : `${pointer}: ${message}`}</Text>
              </li>
            ))}
          </ul>
        )}
        {refused?.correlationId && (
          <Text size="xs" component="div">
            Correlation id <Copyable text={refused.correlationId} />
          </Text>
        )}
      </Stack>
    </Alert>
  )
}

/** A query, as TanStack Query gives it. */
interface Query<T> {
  data: T | undefined
  error: Error | null
}

/** Shows the result of a query, or that it is loading, or why it failed. */
export function Loaded<T>({
  query,
  what,
  children,
}: {
  query: Query<T>
  what?: string
  children: (data: T) => ReactNode
}) {
  if (query.data !== undefined) return children(query.data)
  if (query.error) return <Failure error={query.error} />
  return <Loading {...(what === undefined ? {} : { what })} />
}
