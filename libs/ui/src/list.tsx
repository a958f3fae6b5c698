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
export function List<Data, Row>({ query, rowsOf, noun, empty, ...table }: ListProps<Data, Row>) {
  const rows = query.data === undefined ? undefined : rowsOf(query.data)
  // The button that loads more shows its own failures.
  const error = query.isFetchNextPageError ? null : query.error
  return (
    <Stack gap="lg">
      <Counted count={rows?.length} noun={noun ?? table.label.toLowerCase()} empty={empty} />
      <Loaded query={{ ...query, error, data: rows }}>
        {(known) => known.length > 0 && <DataTable {...table} rows={known} />}
      </Loaded>
      {rows && <LoadMore query={query} />}
    </Stack>
  )
}
