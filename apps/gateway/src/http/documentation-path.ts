import { pathOf } from '@connectivity/contracts/request-target'

/** Where the pages stand, on the public listener. */
export const DOCS_PATH = '/docs'

/** Whether a raw request target asks for a page; names are plain, nothing in them is decoded. */
export const isDocumentation = (target: string): boolean => /^\/docs(\/|$)/.test(pathOf(target))
