import { Controller } from '@nestjs/common'
import { Payload } from '@nestjs/microservices'
import { ContractViolation } from '@connectivity/contracts/contract-violation'
import { parsePropertyEvent } from '@connectivity/contracts/property-events'
import { type ConsumedMessage, OnBatch, type TopicBatch } from '@connectivity/kafka/consuming'
import { KnownPropertyStore } from '../../registry/connections/known-property.store.js'

/**
 * Remembers which properties the booking engine has named, so that a connection to an unnamed id is shown with a
 * warning. Only the first snapshot of a property is parsed: a message's key identifies its property.
 */
@Controller()
export class PropertyEventsConsumer {
  constructor(private readonly known: KnownPropertyStore) {}

  @OnBatch('booking.properties.v1')
  async handle(@Payload() { messages, tx }: TopicBatch): Promise<void> {
    const known = await this.known.among(tx, [...new Set(messages.map(keyOf))])
    const first = new Set<string>()
    for (const message of messages) {
      if (known.has(keyOf(message)) || first.has(keyOf(message))) continue
      const id = propertyIn(message)
      if (id !== null) first.add(id)
    }
    await this.known.add(tx, [...first])
  }
}

/** Replaces control characters: no id contains any, and PostgreSQL and bulk parameters reject some of them. */
const keyOf = ({ key }: ConsumedMessage): string => (key?.toString('utf8') ?? '').replace(/\p{Cc}/gu, ' ')

/** @returns null for a message that is not a snapshot; the catalog sets such messages aside */
function propertyIn({ value }: ConsumedMessage): string | null {
  try {
    return parsePropertyEvent(value).property_id
  } catch (error) {
    if (error instanceof ContractViolation) return null
    throw error
  }
}
