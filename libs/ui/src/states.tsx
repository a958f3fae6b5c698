import { Alert, Group, Loader, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Copyable } from './copyable.tsx'
import { listed, textOf } from './faults.ts'
import { useFocusAfter } from './focus.ts'
import { Page } from './page.tsx'
import { faultsOf, RequestError, type RequestFault } from './request-error.ts'

/** Placeholder for something that is being loaded. */
export function Loading() {
  return (
    <Stack align="center" py="xl" gap="xs" role="status" aria-busy>
      <Loader size="sm" />
      <Text size="sm" c="dimmed">
        Loading…
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

interface FailureProps {
  error: Error
  title?: string
  /** Faults to list; those that the page shows at their fields may be left out. */
  faults?: readonly RequestFault[]
  /** What the reader can do. */
  children?: ReactNode
}

/**
 * Shows why something failed: the message as the interface words it, the faults by the labels of their fields, and the
 * id under which operations find the request.
 */
export function Failure({ error, title = 'This did not work', faults = faultsOf(error), children }: FailureProps) {
  const refused = error instanceof RequestError ? error : null
  const list = listed(error.message, faults)
  return (
    <Alert color="red" title={title} role="alert" variant="default" styles={{ title: { color: 'var(--ui-bad)' } }}>
      <Stack gap="xs">
        <Text size="sm">{error.message}</Text>
        {list.length > 0 && (
          <ul>
            {list.map((fault) => (
              <li key={fault.pointer + fault.message}>
                <Text size="sm">{textOf(fault)}</Text>
              </li>
            ))}
          </ul>
        )}
        {refused?.correlationId && (
          <Text size="xs" component="div">
            Correlation id <Copyable text={refused.correlationId} />
          </Text>
        )}
        {children}
      </Stack>
    </Alert>
  )
}

/** A query, as TanStack Query gives it. */
export interface Query<T> {
  data: T | undefined
  error: Error | null
  isFetching: boolean
  errorUpdateCount: number
  refetch: () => unknown
}

interface LoadedProps<T> {
  query: Query<T>
  /** Title of the page that shows a failure, where the result would be a page of its own. */
  title?: string
  children: (data: T) => ReactNode
}

/** The last failure of a query; null once it has succeeded. */
function useLastError({ data, error, errorUpdateCount }: Query<unknown>): Error | null {
  // While a failed query without a result is read again, it has no error.
  const [last, setLast] = useState(error)
  if (error && error !== last) setLast(error)
  return error ?? (data === undefined && errorUpdateCount > 0 ? last : null)
}

/**
 * Shows the result of a query, or that it is loading, or why it failed, with a button that tries again. A result that
 * could not be read again is shown below the failure.
 */
export function Loaded<T>({ query, title, children }: LoadedProps<T>) {
  const error = useLastError(query)
  if (query.data !== undefined) {
    return (
      <>
        {error && <ReadFailure query={query} error={error} title="What is shown here may be out of date" />}
        {children(query.data)}
      </>
    )
  }
  if (!error) return <Loading />
  const failure = <ReadFailure query={query} error={error} />
  return title === undefined ? failure : <Page title={title}>{failure}</Page>
}

const ReadFailure = ({ query, ...failure }: { query: Query<unknown>; error: Error; title?: string }) => (
  <Failure {...failure}>
    <TryAgain isBusy={query.isFetching} onClick={() => void query.refetch()} />
  </Failure>
)

/** When the button goes, its focus goes to the title of the page. */
function TryAgain({ isBusy, onClick }: { isBusy: boolean; onClick: () => void }) {
  const noteUse = useFocusAfter()
  const press = () => {
    noteUse()
    onClick()
  }
  return (
    <Group>
      <Button variant="default" size="xs" isBusy={isBusy} onClick={press}>
        Try again
      </Button>
    </Group>
  )
}
