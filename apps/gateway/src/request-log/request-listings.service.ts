import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { readPageLimit, readParameter, readTogether } from '@connectivity/contracts/query-parameters'
import { SealedCursors } from '@connectivity/service-kit/text'
import { KeyIdTags } from '../live/key-id-tags.service.js'
import {
  agrees,
  filterFrom,
  type FilterTexts,
  type GivenFilters,
  readFilter,
  type RequestFilter,
} from './request-filter.js'

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
interface Opened extends GivenFilters {
  after: LogPosition
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
    const { given, limit, cursor } = readTogether({
      given: () => readFilter(parameters, allowed),
      limit: () => readPageLimit(parameters),
      cursor: () => readParameter(parameters, 'cursor'),
    })
    const cursors = await this.sealed()
    const { after, texts, filter } = cursor === null ? { after: null, ...given } : open(cursors, reader, cursor)
    if (!agrees(texts, given.texts)) throw invalidCursor()
    const cursorAfter = ({ at, id }: LogPosition) => cursors.seal(reader, Buffer.from(JSON.stringify([at, id, texts])))
    return { filter, limit, after, cursorAfter }
  }

  /** Needs the database, as the log itself does. */
  private async sealed(): Promise<SealedCursors> {
    this.cursors ??= new SealedCursors(
      new Map([['1', await this.tags.keyFor('cursors of requests')]]),
      null,
      'the first page',
    )
    return this.cursors
  }
}

/** @throws ServiceError 400 `invalid_cursor`, also for a cursor of a release with other filters */
function open(cursors: SealedCursors, reader: string, cursor: string): Opened {
  try {
    const [at, id, texts] = JSON.parse(cursors.open(reader, cursor).toString()) as [number, string, FilterTexts]
    return { after: { at, id }, texts, filter: filterFrom(texts) }
  } catch (error) {
    throw error instanceof ServiceError ? invalidCursor() : error
  }
}
