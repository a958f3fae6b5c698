import { Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './list.module.css'
import { Empty, Loaded, type Query } from './states.tsx'
import { DataTable, LoadMore, type Paged, type TableProps } from './table.tsx'

interface ListProps<Data, Row> extends Omit<TableProps<Row>, 'rows'> {
  query: Query<Data> & Paged
  rowsOf: (data: Data) => readonly Row[]
  /** Name of several rows, such as `requests`; the table's label unless given. */
  noun?: string
  /** Sentence in place of a table without rows. */
  empty: ReactNode
  /** Text shown while no rows are known. */
  loading?: string
}

const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? noun.replace(/s$/, '') : noun}`

interface CountedProps {
  /** Number of rows; undefined while it is unknown. */
  count: number | undefined
  noun: string
  empty: ReactNode
}

/** Tells screen readers how many rows there are; everyone sees why there are none. */
const Counted = ({ count, noun, empty }: CountedProps) => (
  // A screen reader announces a change of this element only if it was there before.
  <div role="status" className={count === 0 ? undefined : classes.unseen}>
    {count === 0 ? <Empty>{empty}</Empty> : count && counted(count, noun)}
  </div>
)

/** A table that loads more on demand. Screen readers hear how many rows it has, and why it has none. */
export function List<Data, Row>({ query, rowsOf, noun, empty, loading, ...table }: ListProps<Data, Row>) {
  const rows = query.data === undefined ? undefined : rowsOf(query.data)
  return (
    <Stack gap="lg">
      <Counted count={rows?.length} noun={noun ?? table.label.toLowerCase()} empty={empty} />
      {rows?.length !== 0 && (
        <Loaded query={query} {...(loading !== undefined && { what: loading })}>
          {(data) => <DataTable {...table} rows={rowsOf(data)} />}
        </Loaded>
      )}
      {rows && <LoadMore query={query} />}
    </Stack>
  )
}
