import { Page } from '@connectivity/ui/page'
import { Empty } from '@connectivity/ui/states'

/** Page for an address that names no page. */
export const NoSuchPage = () => (
  <Page title="Page not found">
    <Empty>This page does not exist. Check the address, or start from the menu.</Empty>
  </Page>
)
