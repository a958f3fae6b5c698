import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { readPageLimit, readParameter, readTogether } from '@connectivity/contracts/query-parameters'
import { SealedCursors } from '@connectivity/service-kit/text'
import { KeyIdTags } from '../live/key-id-tags.service.js'
import { agrees, filterFrom, type FilterTexts, readTexts, type RequestFilter } from './request-filter.js'

/** Place of the last entry of a page. */
interface LogPosition {
  /** Milliseconds. */
  at: number
  id: string
}

/** A requested page of a list. */
export interface RequestListing {
  filter: RequestFilter
  limit: number
  after: LogPosition | null
  /** Makes the cursor of the next page. */
  cursorAfter: (last: LogPosition) => string
}

/** Content of a cursor. */
interface Opened {
  after: LogPosition
  texts: FilterTexts
  filter: RequestFilter
}

/** Reader of the list of all applications. */
export const OPERATORS = 'operators'

const invalidCursor = (): ServiceError =>
  new ServiceError(
    'invalid_cursor',
    'The cursor is damaged or belongs to another caller or other filters; pass next_cursor as it came, alone or with the filters of its list.',
  )

/** Reads which part of the log a call asks for. Cursors hold their filters and are sealed for one reader. */
@Injectable()
export class RequestListings {
  private cursors: SealedCursors | null = null

  constructor(private readonly tags: KeyIdTags) {}

  /**
   * Reads filters and limit, then the cursor.
   * @param reader the caller's application, or `OPERATORS`
   * @param allowed names of filters that the call takes
   * @throws ServiceError 400 `invalid_request`, or `invalid_cursor` for a cursor of another reader or other filters
   */
  async read(parameters: URLSearchParams, reader: string, allowed: readonly string[]): Promise<RequestListing> {
    const given = readTexts(parameters, allowed)
    const { own, limit, cursor } = readTogether({
      own: () => filterFrom(given),
      limit: () => readPageLimit(parameters),
      cursor: () => readParameter(parameters, 'cursor'),
    })
    const cursors = await this.sealed()
    const first = { after: null, texts: given, filter: own }
    const { after, texts, filter } = cursor === null ? first : open(cursors, reader, cursor)
    if (!agrees(texts, given)) throw invalidCursor()
    const cursorAfter = ({ at, id }: LogPosition) => cursors.seal(reader, Buffer.from(JSON.stringify([at, id, texts])))
    return { filter, limit, after, cursorAfter }
  }

  /** The log is in the database as well: while that does not answer, no list needs cursors. */
  private async sealed(): Promise<SealedCursors> {
    this.cursors ??= new SealedCursors(new Map([['1', await this.tags.keyFor('cursors of requests')]]), null, '')
    return this.cursors
  }
}

/** @throws ServiceError 400 `invalid_cursor`, also for a cursor of a release with other filters */
function open(cursors: SealedCursors, reader: string, cursor: string): Opened {
  try {
    const [at, id, texts] = JSON.parse(cursors.open(reader, cursor).toString()) as [number, string, FilterTexts]
    return { after: { at, id }, texts, filter: filterFrom(texts) }
  } catch {
    throw invalidCursor()
  }
}
