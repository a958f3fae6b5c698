import { Inject, Injectable } from '@nestjs/common'
import { CURSOR_KEYS, SealedCursors } from '@connectivity/service-kit/text'

/** Position at which a pull continues. */
export interface CursorPosition {
  /** The pull's lower bound on stamps, ms. */
  since: number
  /** Stamp of the last row served, ms. */
  after: number
}

const PAYLOAD = 16

/** Continuation tokens of GET /reservations. */
@Injectable()
export class PageCursor {
  private readonly cursors: SealedCursors

  constructor(@Inject(CURSOR_KEYS) keys: ReadonlyMap<string, Buffer>) {
    this.cursors = new SealedCursors(keys, [PAYLOAD], 'your last saved checkpoint with updated_since')
  }

  /** Makes the cursor that continues at the position, for this connection only. */
  seal(connectionId: string, { since, after }: CursorPosition): string {
    const payload = Buffer.alloc(PAYLOAD)
    payload.writeBigUInt64BE(BigInt(since), 0)
    payload.writeBigUInt64BE(BigInt(after), 8)
    return this.cursors.seal(connectionId, payload)
  }

  /** @throws ServiceError `invalid_cursor` unless it is, byte for byte, a cursor sealed here for this connection */
  open(connectionId: string, text: string): CursorPosition {
    const payload = this.cursors.open(connectionId, text)
    return { since: Number(payload.readBigUInt64BE(0)), after: Number(payload.readBigUInt64BE(8)) }
  }
}
