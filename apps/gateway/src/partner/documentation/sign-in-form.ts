import { DOCS_PATH, SIGN_IN_PATH } from '../../http/pages/page-paths.js'
import { htmlText } from '../../http/pages/html-text.js'
import type { PartnerRequest } from '../../http/requests/partner-request.js'

/** Fields that the form sends. */
export interface SignIn {
  id: string
  secret: string
  /** Path of the page to show afterwards. */
  next: string
}

/** Page shown after a sign-in that names none. */
const REFERENCE = `${DOCS_PATH}/reference`
/** Paths of pages; plain characters only, no segment begins with a dot. */
const PAGE = /^\/docs(?:\/\w[\w.-]*)*\/?$/

/** A path below the documentation; any other text becomes the reference. */
export const pageAfter = (next: string | null): string =>
  next !== null && PAGE.test(next) && next !== SIGN_IN_PATH ? next : REFERENCE

/** Fields of a form; absent ones are empty. */
export function readSignIn({ body }: PartnerRequest): SignIn {
  const fields = new URLSearchParams(body.bytes.toString('utf8'))
  return {
    id: (fields.get('id') ?? '').trim(),
    secret: (fields.get('secret') ?? '').trim(),
    next: pageAfter(fields.get('next')),
  }
}

/** Placeholders of the built page. */
const NEXT = '@next@'
const ID = '@id@'
const ALERT = '<p>@alert@</p>'

/**
 * The form, filled in.
 * @param template the built page
 * @param failure cause of the previous attempt's failure
 */
export function signInPage(template: string, given: Pick<SignIn, 'id' | 'next'>, failure?: string): string {
  const alert = failure === undefined ? '' : `<p role="alert">${htmlText(failure)}</p>`
  return template
    .replace(NEXT, () => htmlText(given.next))
    .replace(ID, () => htmlText(given.id))
    .replace(ALERT, () => alert)
}
