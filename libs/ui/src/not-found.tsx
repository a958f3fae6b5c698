import type { ReactNode } from 'react'
import { Page } from './page.tsx'
import { Empty } from './states.tsx'

interface NotFoundProps {
  /** Kind of the missing thing, such as `Connection`. */
  what: string
  /** A sentence about a possible reason or the next step. */
  children?: ReactNode
}

/** Page about something that does not exist. */
export const NotFound = ({ what, children }: NotFoundProps) => (
  <Page title={`${what} not found`}>
    <Empty>
      This {what.toLowerCase()} does not exist. {children}
    </Empty>
  </Page>
)
