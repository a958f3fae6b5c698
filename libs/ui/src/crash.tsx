import { Button, Group, Text } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { Page, Panel } from './page.tsx'

interface BoundaryProps {
  /** The page's address. */
  path: string
  children: ReactNode
}

class Boundary extends Component<BoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true }
  }

  override componentDidUpdate({ path }: BoundaryProps): void {
    if (path !== this.props.path && this.state.hasFailed) this.setState({ hasFailed: false })
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <Crashed /> : this.props.children
  }
}

/** Shows an error page in place of a page whose code fails, until the address changes. */
export function CrashBoundary({ children }: { children: ReactNode }) {
  const [path] = useLocation()
  return <Boundary path={path}>{children}</Boundary>
}

const Crashed = () => (
  <Page title="This page has failed">
    <Panel>
      <Text mb="sm" role="alert">
        The application has made an error. What you have saved is not lost.
      </Text>
      <Group>
        <Button variant="default" onClick={() => location.reload()}>
          Load the page again
        </Button>
      </Group>
    </Panel>
  </Page>
)
