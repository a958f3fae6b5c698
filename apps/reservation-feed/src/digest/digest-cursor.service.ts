import { Inject, Injectable } from '@nestjs/common'
import { CURSOR_KEYS, SealedCursors } from '@connectivity/service-kit/text'

/** Position at which a reader of a bucket's rows continues. */
export interface RowsPosition {
  /** Greatest stamp listed, ms. */
  checkpoint: number
  /** One or two hex digits. */
  bucket: string
  /** Stamp of the last row served, ms. */
  after: number
}

const STAMP = 8
const BUCKET_AT = 2 * STAMP
const PAYLOAD = BUCKET_AT + 2

/** Continuation tokens of GET /reservations/digest/rows. */
@Injectable()
export class DigestCursor {
  private readonly cursors: SealedCursors

  constructor(@Inject(CURSOR_KEYS) keys: ReadonlyMap<string, Buffer>) {
    this.cursors = new SealedCursors(keys, [PAYLOAD], 'the first page of the bucket')
  }

  /** Makes the cursor that continues at the position, for this connection only. */
  seal(connectionId: string, { checkpoint, bucket, after }: RowsPosition): string {
    const payload = Buffer.alloc(PAYLOAD)
    payload.writeBigUInt64BE(BigInt(checkpoint), 0)
    payload.writeBigUInt64BE(BigInt(after), STAMP)
    payload.write(bucket, BUCKET_AT, 'latin1')
    return this.cursors.seal(connectionId, payload)
  }

  /** @throws ServiceError `invalid_cursor` unless it is, byte for byte, a cursor sealed here for this connection */
  open(connectionId: string, text: string): RowsPosition {
    const payload = this.cursors.open(connectionId, text)
    return {
      checkpoint: Number(payload.readBigUInt64BE(0)),
      after: Number(payload.readBigUInt64BE(STAMP)),
      bucket: payload.toString('latin1', BUCKET_AT).replace('\0', ''),
    }
  }
}
