import { applyDecorators, Catch, type RpcExceptionFilter, UseFilters } from '@nestjs/common'
import { EventPattern } from '@nestjs/microservices'
import { ContractViolation } from '@connectivity/contracts/contract-violation'
import type { ConsumedTopic } from '@connectivity/contracts/topics'
import type { Transaction } from '@connectivity/database'
import { traceIn, TRACEPARENT_HEADER } from '@connectivity/service-kit/tracing'
import type { IHeaders } from 'kafkajs'
import { type Observable, throwError } from 'rxjs'

/** One message as received from Kafka. */
export interface ConsumedMessage {
  offset: bigint
  key: Buffer | null
  value: Buffer
  /** Trace of the message, which its handling continues. */
  traceparent?: string | null
}

/** Messages as kafkajs delivers them, without the tombstones of a compacted topic. */
export function consumedMessages(
  given: readonly { offset: string; key: Buffer | null; value: Buffer | null; headers?: IHeaders }[],
): ConsumedMessage[] {
  const messages: ConsumedMessage[] = []
  for (const { offset, key, value, headers } of given) {
    if (value === null) continue
    const traceparent = headers?.[TRACEPARENT_HEADER]
    const message = { offset: BigInt(offset), key, value }
    messages.push(traceparent === undefined ? message : { ...message, traceparent: validated(String(traceparent)) })
  }
  return messages
}

/** Drops an invalid trace from outside, so that it is neither stored nor passed on. */
const validated = (traceparent: string): string | null => (traceIn(traceparent) === null ? null : traceparent)

/** A message that was set aside, with the reason. */
export interface DeadLetter {
  message: ConsumedMessage
  reason: string
}

/**
 * Messages of one partition, in order, inside the transaction that will move the partition's position. It fails when
 * one of them has taken effect already. A handler writes through `tx` only. An error rolls everything back, and the
 * batch is retried.
 */
export class TopicBatch {
  readonly deadLetters: DeadLetter[] = []

  constructor(
    readonly topic: string,
    readonly partition: number,
    readonly messages: readonly ConsumedMessage[],
    readonly tx: Transaction,
  ) {}

  /** Sets a message aside with its reason, in the same transaction; its neighbours are not held up. */
  deadLetter(message: ConsumedMessage, reason: string): void {
    this.deadLetters.push({ message, reason })
  }

  /** Parses every message; those that break the contract become dead letters. */
  parse<T>(parser: (value: Uint8Array) => T): { message: ConsumedMessage; value: T }[] {
    return this.messages.flatMap((message) => {
      try {
        return [{ message, value: parser(message.value) }]
      } catch (error) {
        if (!(error instanceof ContractViolation)) throw error
        this.deadLetter(message, error.message)
        return []
      }
    })
  }
}

/** Nest would replace the error with "Internal server error"; the consumer needs the error itself. */
@Catch()
class OriginalErrorFilter implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error)
  }
}

/** Marks a method as the handler of a topic's batches. */
export const OnBatch = (topic: ConsumedTopic): MethodDecorator =>
  applyDecorators(EventPattern(topic) as MethodDecorator, UseFilters(new OriginalErrorFilter()))
