export { BatchConsumer } from './batch-consumer.js'
export { applyBatch, type BatchHandler } from './batch-transaction.js'
export { type ConsumedMessage, OnBatch, TopicBatch } from './topic-batch.js'
