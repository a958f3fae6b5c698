import { Alert, Group, Loader, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Copyable } from './copyable.tsx'
import { summaryOf, textOf } from './faults.ts'
import { useFocusAfter } from './focus.ts'
import { Page } from './page.tsx'
import { RequestError, type RequestFault } from './request-error.ts'

/** Placeholder for something that is being loaded. */
export function Loading({ what = 'Loading' }: { what?: string | undefined }) {
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

interface FailureProps {
  error: Error
  title?: string
  /** Faults to list; those that the page shows at their fields may be left out. */
  faults?: readonly RequestFault[]
  /** What the reader can do. */
  children?: ReactNode
}

const faultsOf = (error: Error): readonly RequestFault[] => (error instanceof RequestError ? error.details : [])

/** Shows why something failed, with the faults and the id under which operations find the request. */
export function Failure({ error, title = 'This did not work', faults = faultsOf(error), children }: FailureProps) {
  const refused = error instanceof RequestError ? error : null
  const summary = summaryOf(error.message, faultsOf(error))
  return (
    <Alert color="red" title={title} role="alert" variant="default" styles={{ title: { color: 'var(--ui-bad)' } }}>
      <Stack gap="xs">
        {summary !== '' && <Text size="sm">{summary}</Text>}
        {faults.length > 0 && (
          <ul>
            {faults.map((fault) => (
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
  /** Text of the placeholder while it is loading. */
  what?: string
  /** Title of the page on which a failure stands, where the result would be a page of its own. */
  title?: string
  children: (data: T) => ReactNode
}

/** Shows the result of a query, or that it is loading, or why it failed, with a button that tries again. */
export function Loaded<T>({ query, what, title, children }: LoadedProps<T>) {
  const { data, error, isFetching, errorUpdateCount, refetch } = query
  // While a failed query is read again, it has no error.
  const [last, setLast] = useState(error)
  if (error && error !== last) setLast(error)
  if (data !== undefined) return children(data)
  const shown = error ?? (errorUpdateCount > 0 ? last : null)
  if (!shown) return <Loading what={what} />
  const failure = (
    <Failure error={shown}>
      <TryAgain isBusy={isFetching} onClick={() => void refetch()} />
    </Failure>
  )
  return title === undefined ? failure : <Page title={title}>{failure}</Page>
}

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
