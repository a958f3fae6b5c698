import { Injectable } from '@nestjs/common'
import { ariEventType, type AriUpdated } from '@connectivity/contracts/ari-events'
import { cloudEventText } from '@connectivity/contracts/cloud-event'
import type { Topic } from '@connectivity/contracts/topics'
import { enqueue, type OutboxMessage, type Transaction } from '@connectivity/database'
import { inParts } from './message-parts.js'

const topic: Topic = 'connectivity.ari-updates.v1'

/** Updates of one call as its messages show them, with the trace of the call if it is not the current one. */
type Updated = Omit<AriUpdated, 'part' | 'parts'> & Pick<OutboxMessage, 'traceparent'>

/** Enqueues updates for the booking engine, in the order of each property's revisions. */
@Injectable()
export class AriUpdatesPublisher {
  /** The properties must be locked: messages are published in the order of insertion. */
  publish(tx: Transaction, updated: readonly Updated[]): void {
    enqueue(tx, updated.flatMap(messagesOf))
  }
}

function messagesOf({ updates, traceparent, ...head }: Updated): OutboxMessage[] {
  const { property_id: key, ari_revision, applied_at: time } = head
  const parts = inParts(updates)
  return parts.map((texts, index) => {
    const part = index + 1
    const event = { id: `${key}-${ari_revision}-${part}`, source: '/ari', type: ariEventType, subject: key, time }
    const frame = JSON.stringify({ ...head, part, parts: parts.length })
    const value = cloudEventText(event, `${frame.slice(0, -1)},"updates":[${texts.join(',')}]}`)
    return { topic, key, value, ...(traceparent !== undefined && { traceparent }) }
  })
}
