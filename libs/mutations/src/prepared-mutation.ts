import { randomBytes } from 'node:crypto'
import { Injectable, type OnApplicationShutdown } from '@nestjs/common'
import type { Client } from 'pg'
import { advisoryLocks, Database, type Transaction, tryLock } from '@connectivity/database'
import type { Answer, IdempotentRequest } from './idempotent-request.js'
import { answerBefore, answerOf, type BodySeal, inProgress, PLAIN } from './idempotency.js'
import { storeAnswers } from './idempotent-answer.store.js'
import { type Claim, claimKey, deleteDeadClaims, endClaim } from './idempotent-claim.store.js'

/** A dedicated session whose lock proves to other processes that this one is alive. */
interface Holder {
  id: string
  session: Client
}

const randomBigint = (): string => randomBytes(8).readBigInt64BE().toString()

/**
 * Idempotence of mutations that do I/O elsewhere before they change anything: like `answerOnce`, but the I/O runs
 * outside any transaction, with the key claimed. The claim ends with the request, or at once when the process dies.
 */
@Injectable()
export class PreparedMutations implements OnApplicationShutdown {
  private holder: Promise<Holder> | undefined

  constructor(private readonly database: Database) {}

  /**
   * @param prepare the I/O; its error is not stored, and the key is free again
   * @param work as in `answerOnce`, with the result of `prepare`
   * @throws ServiceError as `answerOnce`; or the error of `prepare` or `work`
   */
  async answerOnce<P>(
    request: IdempotentRequest,
    prepare: () => Promise<P>,
    work: (tx: Transaction, prepared: P) => Promise<Answer>,
    seal: BodySeal = PLAIN,
  ): Promise<Answer & { replayed: boolean }> {
    const claim: Claim = { holder: await this.aliveHolder(), claim: randomBigint() }
    const stored = await this.database.transaction(async (tx) => {
      const before = await answerBefore(tx, request)
      if (!before && !(await claimKey(tx, request, claim))) throw inProgress()
      return before
    })
    if (stored) return { ...stored, body: await seal.open(stored.body), replayed: true }
    try {
      const prepared = await prepare()
      return await this.finish(request, claim, (tx) => work(tx, prepared), seal)
    } catch (error) {
      await this.database.transaction((tx) => endClaim(tx, claim)).catch(() => this.release())
      throw error
    }
  }

  onApplicationShutdown(): Promise<void> {
    return this.release()
  }

  /** Ends every claim of this process, for example when one of them could not be ended alone. */
  private async release(): Promise<void> {
    const holder = await this.holder?.catch(() => undefined)
    await holder?.session.end().catch(() => undefined)
  }

  private finish(
    request: IdempotentRequest,
    claim: Claim,
    work: (tx: Transaction) => Promise<Answer>,
    seal: BodySeal,
  ): Promise<Answer & { replayed: boolean }> {
    return this.database.transaction(async (tx) => {
      // Another process took this one for dead and holds the key now.
      if (!(await endClaim(tx, claim))) throw inProgress()
      const answer = await answerOf(tx, request.correlationId, work)
      storeAnswers(tx, [{ request, answer: { ...answer, body: await seal.seal(answer.body) } }])
      return { ...answer, replayed: false }
    })
  }

  /** Number of the advisory lock that this process holds. The next request replaces a lost session. */
  private async aliveHolder(): Promise<string> {
    this.holder ??= this.newHolder()
    return (await this.holder).id
  }

  private newHolder(): Promise<Holder> {
    const holder: Promise<Holder> = this.hold(() => {
      // The next request may have made another one already.
      if (this.holder === holder) this.holder = undefined
    })
    return holder
  }

  /** @param forget called when the holder is none any longer, or never was */
  private async hold(forget: () => void): Promise<Holder> {
    let session: Client | undefined
    try {
      session = await this.database.session()
      session.once('end', forget)
      const id = randomBigint()
      const isHeld = await tryLock(session, advisoryLocks.idempotencyClaims('$1'), [id])
      if (!isHeld)
        throw new Error('another process holds the random number of these claims; the next request draws another')
      // Removes claims that crashed processes left and no client has repeated.
      await deleteDeadClaims(session)
      return { id, session }
    } catch (error) {
      forget()
      await session?.end().catch(() => undefined)
      throw error
    }
  }
}
