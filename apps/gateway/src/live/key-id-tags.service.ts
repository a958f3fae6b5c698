import { hkdfSync } from 'node:crypto'
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common'
import { Database } from '@connectivity/database'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { newId } from '@connectivity/service-kit/text'
import { isTaggedToken, newToken, type TokenKind } from './access-token.js'
import { readTagKey } from './key-id-tag.store.js'
import { hasTag, newTaggedSecret, TAG_LENGTH, tagOf } from './tagged-secret.js'

/** A key or client id with a tag: prefix, UUIDv7 and tag. Ids without a tag are from an earlier release. */
const TAGGED = /^(?:key|cli)_[0-9a-f]{44}$/
const TAG_DIGITS = TAG_LENGTH.hex

/** @param key hexadecimal text */
export const withTag = (key: string, id: string): string => id + tagOf(key, id, 'hex')

/** Whether an id has the form of a tagged id but a tag that this key did not make. */
export const hasForeignTag = (key: string, id: string): boolean =>
  TAGGED.test(id) && tagOf(key, id.slice(0, -TAG_DIGITS), 'hex') !== id.slice(-TAG_DIGITS)

/** Whether an id has a tag of this key. */
const hasOwnTag = (key: string, id: string): boolean => TAGGED.test(id) && !hasForeignTag(key, id)

/**
 * Makes ids of signing keys and OAuth clients, tokens and secrets of sessions, and recognises invented ones without the
 * database. The key is a row of the gateway's database: every replica shares it, it is backed up with its ids, and
 * unlike a key derived from the configuration it survives the rotation of configured keys.
 */
@Injectable()
export class KeyIdTags implements OnApplicationBootstrap {
  private key: string | null = null
  private loading: Promise<string> | null = null

  constructor(
    private readonly database: Database,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.load().catch((err: unknown) => this.log.warn({ err }, 'key of the id tags could not be read yet'))
  }

  /** @throws when the database does not answer */
  async newKeyId(prefix: 'key' | 'cli'): Promise<string> {
    return withTag(this.key ?? (await this.load()), newId(prefix))
  }

  /** @throws when the database does not answer */
  async newToken(kind: TokenKind): Promise<string> {
    return newToken(kind, this.key ?? (await this.load()))
  }

  /**
   * A secret of a session of the portal.
   * @throws when the database does not answer
   */
  async newSecret(): Promise<string> {
    return newTaggedSecret(this.key ?? (await this.load()), '')
  }

  /**
   * Derives a key of 32 bytes for another purpose; the same on every replica.
   * @throws when the database does not answer
   */
  async keyFor(purpose: string): Promise<Buffer> {
    const key = this.key ?? (await this.load())
    return Buffer.from(hkdfSync('sha256', Buffer.from(key, 'hex'), '', purpose, 32))
  }

  /** Whether this id carries our tag. False for ids of an earlier release. */
  isOurId(keyId: string): boolean {
    return this.key !== null && hasOwnTag(this.key, keyId)
  }

  /** The same for a token. */
  isOurToken(token: string): boolean {
    return this.key !== null && isTaggedToken(this.key, token)
  }

  /** The same for a secret of a session. */
  isOurSecret(secret: string): boolean {
    return this.key !== null && hasTag(this.key, secret)
  }

  /** Whether this id cannot have been issued. False while the key is not loaded: then the database decides. */
  isInvented(keyId: string): boolean {
    if (this.key !== null) return hasForeignTag(this.key, keyId)
    void this.load().catch(() => undefined)
    return false
  }

  private load(): Promise<string> {
    this.loading ??= this.read().finally(() => (this.loading = null))
    return this.loading
  }

  private async read(): Promise<string> {
    this.key = await readTagKey(this.database)
    return this.key
  }
}
