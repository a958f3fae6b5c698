import { BackgroundLoop } from '@connectivity/service-kit/work'
import type { Consumer } from 'kafkajs'

const INTERVAL = 1_000

/**
 * Commits the group's offsets to Kafka once a second, for monitoring only. No batch awaits this: one commit takes 6.5
 * ms, which would be most of the time from a booking to the feed. Errors are ignored.
 */
export class OffsetHints {
  private readonly positions = new Map<string, { topic: string; partition: number; offset: string }>()
  private readonly loop = BackgroundLoop.every(INTERVAL, () => this.commit())

  constructor(private readonly consumer: Consumer) {}

  start(): void {
    this.loop.start(INTERVAL)
  }

  /** @param lastOffset of the last message that took effect */
  note(topic: string, partition: number, lastOffset: string): void {
    this.positions.set(`${topic}/${partition}`, { topic, partition, offset: (BigInt(lastOffset) + 1n).toString() })
  }

  /** Called after a rebalance: the partitions may belong to another member. */
  forget(): void {
    this.positions.clear()
  }

  /** Commits once more. */
  async stop(): Promise<void> {
    await this.loop.stop()
    await this.commit()
  }

  private async commit(): Promise<void> {
    const offsets = [...this.positions.values()]
    this.positions.clear()
    if (offsets.length > 0) await this.consumer.commitOffsets(offsets).catch(() => undefined)
  }
}
