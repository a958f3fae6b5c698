import { pathOf } from '@connectivity/contracts/request-target'

/** Path of the pages, on the public listener. */
export const DOCS_PATH = '/docs'

/** Whether a raw request target names a page; page names are plain, nothing is decoded. */
export const isDocumentation = (target: string): boolean => /^\/docs(\/|$)/.test(pathOf(target))

/** Whether a raw request target names a file that anybody may read: the golden vectors, whose secrets are examples. */
export const isPublicFile = (target: string): boolean => pathOf(target) === `${DOCS_PATH}/vectors.json`
