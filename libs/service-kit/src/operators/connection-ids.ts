import { invalidParameter } from '@connectivity/contracts/errors'
import { isId } from '../text/ids.js'

/** Most connections that one question names. */
const MOST_NAMED = 100

/**
 * Reads `connection_ids`: ids separated by commas. Leaves out texts that are not ids.
 * @throws ServiceError 400 `invalid_request` for more than 100
 */
export function readConnectionIds(list: string): string[] {
  const ids = list.split(',')
  if (ids.length <= MOST_NAMED) return ids.filter(isId)
  const message = `connection_ids must name at most ${MOST_NAMED} connections; ask for the others separately.`
  throw invalidParameter('connection_ids', 'out_of_range', message)
}
