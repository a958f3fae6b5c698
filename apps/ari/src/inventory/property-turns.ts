import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'

/** Calls of one property in the database at once: while one holds the property's lock, the next gets as far as to it. */
const AT_ONCE = 2
/** The same, counting connections that come while others fill those places: each of them may have one call there. */
const MOST_AT_ONCE = 4
/** Calls of one connection that may wait: what four gateways let through of an application fits. Each holds up to 1 MiB. */
const WAITING_PER_CONNECTION = 32
/** Longest wait for a turn and the locks together; the gateway gives a call up after 10 s, ms. */
const PATIENCE = 7_000
const RETRY_AFTER_SECONDS = 2
/** SQLSTATE of a lock that was waited for too long: other writers are at work. */
const LOCK_NOT_AVAILABLE = '55P03'

const isLocked = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === LOCK_NOT_AVAILABLE

const unavailable = (message: string): ServiceError =>
  new ServiceError('service_unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })

const busy = (): ServiceError =>
  unavailable('Other updates of this property are being applied; send this one again with the same Idempotency-Key.')

const tooMany = (): ServiceError =>
  unavailable(
    `${WAITING_PER_CONNECTION} calls of this connection wait already; await their answers, then send this one again with the same Idempotency-Key.`,
  )

/** Calls of one connection to a property. */
interface Line {
  active: number
  /** First come, first served. */
  readonly waiting: (() => void)[]
}

interface Property {
  active: number
  /** By connection; the one that was served last is the last. */
  readonly lines: Map<string, Line>
}

/**
 * Lets the calls of one property work a few at a time, the connections in turn. They exclude each other in the database
 * anyway; here they wait without a connection to it, which other properties may need. The order among the replicas is
 * that of `PropertyStore.lock`.
 */
@Injectable()
export class PropertyTurns {
  private readonly properties = new Map<string, Property>()

  /**
   * @param work gets the time by which it must have its locks, ms since 1970; calls of one connection begin in the order
   *   of their arrival
   * @throws ServiceError 503 `service_unavailable` when it takes too long, or at once when too many calls of the
   *   connection wait; then nothing was done
   */
  async take<T>(propertyId: string, connectionId: string, work: (deadline: number) => Promise<T>): Promise<T> {
    const deadline = Date.now() + PATIENCE
    await this.enter(propertyId, connectionId)
    try {
      return await work(deadline)
    } catch (error) {
      throw isLocked(error) ? busy() : error
    } finally {
      this.leave(propertyId, connectionId)
    }
  }

  private async enter(propertyId: string, connectionId: string): Promise<void> {
    const property = this.properties.get(propertyId) ?? { active: 0, lines: new Map<string, Line>() }
    const line = property.lines.get(connectionId) ?? { active: 0, waiting: [] }
    if (line.waiting.length >= WAITING_PER_CONNECTION) throw tooMany()
    this.properties.set(propertyId, property)
    property.lines.set(connectionId, line)
    if (hasPlace(property, line)) return serve(property, connectionId, line)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const late = setTimeout(() => {
      line.waiting.splice(line.waiting.indexOf(resolve), 1)
      reject(busy())
    }, PATIENCE)
    line.waiting.push(resolve)
    await promise.finally(() => clearTimeout(late))
  }

  private leave(propertyId: string, connectionId: string): void {
    const property = this.properties.get(propertyId)!
    const line = property.lines.get(connectionId)!
    property.active--
    line.active--
    for (const [id, next] of property.lines) {
      if (next.waiting.length === 0 || !hasPlace(property, next)) continue
      serve(property, id, next)
      next.waiting.shift()!()
      break
    }
    if (line.active === 0 && line.waiting.length === 0) property.lines.delete(connectionId)
    if (property.active === 0) this.properties.delete(propertyId)
  }
}

const hasPlace = (property: Property, line: Line): boolean =>
  property.active < (line.active === 0 ? MOST_AT_ONCE : AT_ONCE)

/** The connection's next turn comes after those of all others. */
function serve(property: Property, connectionId: string, line: Line): void {
  property.active++
  line.active++
  property.lines.delete(connectionId)
  property.lines.set(connectionId, line)
}
