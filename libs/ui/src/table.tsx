import { Stack } from '@mantine/core'
import { Fragment, type ReactNode, useId, useState } from 'react'
import { Button } from './button.tsx'
import { Failure } from './states.tsx'
import classes from './table.module.css'

/** A column of a table. */
export interface Column<Row> {
  header: string
  cell: (row: Row) => ReactNode
  /** Whether the column holds numbers, which are aligned right. */
  isNumber?: boolean
}

/** Rows of a table, and how they are shown. */
export interface TableProps<Row> {
  /** Name of the table for screen readers. */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** Content that a row shows when it is opened; without it rows do not open. */
  details?: (row: Row) => ReactNode
}

/** A table with column headers; on a narrow screen each row is a card with the headers before its values. */
export function DataTable<Row>({ label, columns, rows, keyOf, details }: TableProps<Row>) {
  return (
    <div className={classes.frame}>
      <table className={classes.table} role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ header, isNumber }) => (
              <th key={header} role="columnheader" scope="col" data-number={isNumber || undefined}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <TableRow key={keyOf(row)} row={row} columns={columns} details={details} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

type RowProps<Row> = Pick<TableProps<Row>, 'columns' | 'details'> & { row: Row }

function TableRow<Row>({ row, columns, details }: RowProps<Row>) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  return (
    <Fragment>
      <tr role="row">
        {columns.map(({ header, cell, isNumber }, index) => (
          <td key={header} role="cell" data-label={header} data-number={isNumber || undefined}>
            {details && index === 0 ? (
              <button
                type="button"
                className={classes.opener}
                aria-expanded={isOpen}
                aria-controls={isOpen ? id : undefined}
                onClick={() => setOpen(!isOpen)}
              >
                <span aria-hidden className={classes.arrow} />
                <span>{cell(row)}</span>
              </button>
            ) : (
              <div>{cell(row)}</div>
            )}
          </td>
        ))}
      </tr>
      {details && isOpen && (
        <tr role="row" id={id}>
          <td role="cell" colSpan={columns.length} className={classes.details}>
            {details(row)}
          </td>
        </tr>
      )}
    </Fragment>
  )
}

/** A query of pages, as TanStack Query gives it. */
export interface Paged {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  isFetchNextPageError?: boolean
  error?: Error | null
  fetchNextPage: () => unknown
}

/** A button below a list that loads more; nothing at the end of the list. */
export function LoadMore({ query }: { query: Paged }) {
  if (!query.hasNextPage) return null
  return (
    <Stack align="center">
      {query.isFetchNextPageError && query.error && <Failure error={query.error} />}
      <Button variant="default" isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        Load more
      </Button>
    </Stack>
  )
}
