import { Empty, Page } from '@connectivity/ui'

/** Page for an address that names no page. */
export const NoSuchPage = () => (
  <Page title="Page not found">
    <Empty>This page does not exist. Check the address, or start from the menu.</Empty>
  </Page>
)
