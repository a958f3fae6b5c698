import { Injectable } from '@nestjs/common'
import { ariEventType, type AriUpdated } from '@connectivity/contracts/ari-events'
import { cloudEventText } from '@connectivity/contracts/cloud-event'
import type { Topic } from '@connectivity/contracts/topics'
import type { Transaction } from '@connectivity/database/transaction'
import { enqueue } from '@connectivity/database/outbox'
import { inParts } from './message-parts.js'

const topic: Topic = 'connectivity.ari-updates.v1'

/** Enqueues a call's updates for the booking engine, in the order of the property's revisions. */
@Injectable()
export class AriUpdatesPublisher {
  /** The property must be locked: messages are published in the order of insertion. */
  publish(tx: Transaction, updated: Omit<AriUpdated, 'part' | 'parts'>): void {
    const { updates, ...head } = updated
    const { property_id: key, ari_revision, applied_at: time } = head
    const parts = inParts(updates)
    const messages = parts.map((texts, index) => {
      const part = index + 1
      const event = { id: `${key}-${ari_revision}-${part}`, source: '/ari', type: ariEventType, subject: key, time }
      const frame = JSON.stringify({ ...head, part, parts: parts.length })
      const value = cloudEventText(event, `${frame.slice(0, -1)},"updates":[${texts.join(',')}]}`)
      return { topic, key, value }
    })
    enqueue(tx, messages)
  }
}
