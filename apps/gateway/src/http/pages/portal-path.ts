import { pathOf } from '@connectivity/contracts/request-target'

/** Path of the portal's pages, on the public listener. */
export const PORTAL_PATH = '/portal'

/** Whether a raw request target names a page or file of the portal. */
export const isPortal = (target: string): boolean => /^\/portal(\/|$)/.test(pathOf(target))
