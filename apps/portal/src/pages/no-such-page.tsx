import { NotFound } from '@connectivity/ui'

/** Page for an address that names no page. */
export const NoSuchPage = () => <NotFound what="Page">Check the address, or start from the menu.</NotFound>
