import { Injectable } from '@nestjs/common'
import { cloudEventText } from '@connectivity/contracts/cloud-event'
import { type DeliveryRisk, deliveryRiskTypes } from '@connectivity/contracts/delivery-risks'
import type { Topic } from '@connectivity/contracts/topics'
import { enqueue, type Transaction } from '@connectivity/database'
import { newId } from '@connectivity/service-kit/text'

const topic: Topic = 'connectivity.delivery-risks.v1'

/** Enqueues a message when a connection's reservations become at risk or recover. */
@Injectable()
export class DeliveryRisksPublisher {
  /** The connection's progress must be locked: messages are published in the order of insertion. */
  publish(tx: Transaction, risk: DeliveryRisk): void {
    const { property_id: key } = risk
    const event = {
      id: newId('rsk'),
      source: '/reservation-feed',
      type: risk.at_risk > 0 ? deliveryRiskTypes.atRisk : deliveryRiskTypes.recovered,
      subject: key,
      time: new Date().toISOString(),
    }
    enqueue(tx, [{ topic, key, value: cloudEventText(event, JSON.stringify(risk)) }])
  }
}
