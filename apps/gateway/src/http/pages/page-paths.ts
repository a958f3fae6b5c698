import { pathOf } from '@connectivity/contracts/request-target'
import type { PartnerRequest } from '../requests/partner-request.js'

/** Path of the console's pages, on the private listener. */
export const CONSOLE_PATH = '/console'

/** Path of the portal's pages, on the public listener. */
export const PORTAL_PATH = '/portal'

/** Path of the documentation's pages, on the public listener. */
export const DOCS_PATH = '/docs'

/** Path of the documentation's sign-in form. */
export const SIGN_IN_PATH = `${DOCS_PATH}/sign-in`
/** Path that the sign-in form is sent to. */
export const SESSION_PATH = `${DOCS_PATH}/session`

/** Whether a raw request target names a page or file of the portal. */
export const isPortal = (target: string): boolean => /^\/portal(\/|$)/.test(pathOf(target))

/** Whether a raw request target names a page of the documentation; page names are plain, nothing is decoded. */
export const isDocumentation = (target: string): boolean => /^\/docs(\/|$)/.test(pathOf(target))

/** Whether the request is to begin a session of the documentation. */
export const isSessionPath = (target: string): boolean => pathOf(target) === SESSION_PATH

/** Whether a client wants a page rather than data: browsers say so when an address is opened. */
export const wantsPage = ({ http }: Pick<PartnerRequest, 'http'>): boolean =>
  /\btext\/html\b/i.test(http.headers.accept ?? '')

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD'

/** Whether a browser opens the bare address, where there is nothing to call. */
export const isBareAddress = (partner: PartnerRequest): boolean =>
  partner.route === null && pathOf(partner.target) === '/' && isRead(partner.method) && wantsPage(partner)
