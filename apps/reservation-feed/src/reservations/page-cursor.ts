import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { Inject, Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'

/** Keys that seal cursors, by id; the first is current. */
export const CURSOR_KEYS = Symbol('cursor keys')

/** Where a pull goes on. */
export interface CursorPosition {
  /** The pull's lower bound on stamps, ms. */
  since: number
  /** Stamp of the last row served, ms. */
  after: number
}

const ALGORITHM = 'aes-256-gcm'
const NONCE = 12
const TAG = 16
const PAYLOAD = 16

const corrupted = () =>
  new ServiceError(
    'invalid_cursor',
    'The cursor is corrupted or belongs to another property; restart from your last saved checkpoint with updated_since.',
  )

/**
 * Continuation tokens: `keyIdLength keyId nonce ciphertext tag`, base64url, sealed with AES-256-GCM under the current
 * key. The connection is authenticated with it, so a cursor serves its own connection only. Nothing is stored and
 * nothing expires; a retired key ends the cursors it sealed.
 */
@Injectable()
export class PageCursor {
  private readonly currentId: string

  constructor(@Inject(CURSOR_KEYS) private readonly keys: ReadonlyMap<string, Buffer>) {
    this.currentId = keys.keys().next().value!
  }

  seal(connectionId: string, { since, after }: CursorPosition): string {
    const keyId = Buffer.from(this.currentId)
    const nonce = randomBytes(NONCE)
    const payload = Buffer.alloc(PAYLOAD)
    payload.writeBigUInt64BE(BigInt(since), 0)
    payload.writeBigUInt64BE(BigInt(after), 8)
    const cipher = createCipheriv(ALGORITHM, this.keys.get(this.currentId)!, nonce).setAAD(Buffer.from(connectionId))
    const sealed = Buffer.concat([cipher.update(payload), cipher.final()])
    return Buffer.concat([Buffer.of(keyId.length), keyId, nonce, sealed, cipher.getAuthTag()]).toString('base64url')
  }

  /** @throws ServiceError `invalid_cursor` unless it is, byte for byte, a cursor sealed here for this connection */
  open(connectionId: string, text: string): CursorPosition {
    const token = Buffer.from(text, 'base64url')
    const idEnd = 1 + (token[0] ?? 0)
    const key = this.keys.get(token.subarray(1, idEnd).toString())
    const sealed = token.subarray(idEnd)
    if (token.toString('base64url') !== text || !key || sealed.length !== NONCE + PAYLOAD + TAG) throw corrupted()
    const payload = decrypt(key, connectionId, sealed)
    return { since: Number(payload.readBigUInt64BE(0)), after: Number(payload.readBigUInt64BE(8)) }
  }
}

function decrypt(key: Buffer, connectionId: string, sealed: Buffer): Buffer {
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE))
    .setAAD(Buffer.from(connectionId))
    .setAuthTag(sealed.subarray(-TAG))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(NONCE, -TAG)), decipher.final()])
  } catch {
    throw corrupted()
  }
}
