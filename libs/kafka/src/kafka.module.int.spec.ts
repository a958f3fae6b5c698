import 'reflect-metadata'
import { randomUUID } from 'node:crypto'
import { Controller, type DynamicModule, Global, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { Payload } from '@nestjs/microservices'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { type Database, DatabaseModule, Purging } from '@connectivity/database'
import { Health } from '@connectivity/service-kit/service'
import { LOGGER } from '@connectivity/service-kit/logging'
import { eventually } from '@connectivity/testing/eventually'
import type { Producer } from 'kafkajs'
import { applied, createServiceDatabase, fencesAtEnd, logger, openKafka, writeApplied } from '../test/fixture.js'
import { suiteBroker } from '../test/suite-kafka.js'
import { BatchConsumer } from './consuming/batch-consumer.js'
import { createProducer } from './broker/kafka-client.js'
import { consumerLag, deadLetters } from './broker/kafka-metrics.js'
import { KafkaModule } from './kafka.module.js'
import { OnBatch, TopicBatch } from './consuming/topic-batch.js'

const mark = randomUUID()
const topic = 'connectivity.reservation-events.v1'

/** Writes marked values. One is bad for PostgreSQL, another keeps the batch in flight until it is released. */
@Controller()
class Writer {
  static calls = 0
  static release: () => void = () => undefined

  @OnBatch(topic)
  async handle(@Payload() batch: TopicBatch): Promise<void> {
    const ours = batch.messages.filter(({ key }) => key?.toString() === mark).map(({ value }) => value.toString())
    if (ours.includes('slow')) {
      Writer.calls++
      await new Promise<void>((resolve) => (Writer.release = resolve))
    }
    if (ours.includes('bad')) await batch.tx.query(`SELECT 'x'::integer`)
    await writeApplied(mark)(batch)
  }
}

@Global()
@Module({
  providers: [{ provide: LOGGER, useValue: logger }, Health],
  exports: [LOGGER, Health],
})
class Surroundings {}

async function startApplication(url: string): Promise<NestFastifyApplication> {
  const database = DatabaseModule.with({ url, applicationName: mark, migrations: [] })
  const kafka = KafkaModule.with({
    ...suiteBroker,
    instance: mark,
    service: 'test',
    group: mark,
    openDeadLetterDays: 1,
  })
  const root: DynamicModule = { module: class Root {}, imports: [Surroundings, database, kafka], controllers: [Writer] }
  const app = await NestFactory.create<NestFastifyApplication>(root, new FastifyAdapter(), { logger: false })
  app.connectMicroservice({ strategy: app.get(BatchConsumer, { strict: false }) }, { inheritAppConfig: true })
  await app.listen(0, '127.0.0.1')
  await app.startAllMicroservices()
  return app
}

describe('a service that consumes', () => {
  let producer: Producer
  let database: Database
  let url: string
  let drop: () => Promise<void>
  let app: NestFastifyApplication

  beforeAll(async () => {
    const kafka = await openKafka()
    producer = createProducer(kafka)
    await producer.connect()
    ;({ database, url, drop } = await createServiceDatabase())
    await fencesAtEnd(kafka, database, mark)
    app = await startApplication(url)
  })
  afterAll(async () => {
    await producer.disconnect()
    await drop()
  })

  const publish = (...values: string[]) =>
    producer.send({ topic, messages: values.map((value) => ({ key: mark, partition: 9, value })) })

  it('counts the dead letters of its topics from 0', async () => {
    expect((await deadLetters.get()).values).toContainEqual({ labels: { topic }, value: 0 })
  })

  it("gets its handlers' own errors, so that it can tell a bad message from a transient fault", async () => {
    await publish('a', 'bad', 'b')
    await eventually(async () => expect(await applied(database)).toEqual(['a', 'b']))
    const { rows } = await database.query<{ reason: string }>('SELECT reason FROM dead_letter')
    expect(rows).toEqual([{ reason: expect.stringContaining('invalid input syntax') }])
  })

  it('deletes dead letters after the configured time', async () => {
    await database.query(
      `INSERT INTO dead_letter (topic, partition, message_offset, value, reason, received_at)
       VALUES ($1, 0, 1, 'x', 'old', now() - interval '2 days')`,
      [topic],
    )
    await app.get(Purging, { strict: false }).run()
    expect((await database.query(`SELECT FROM dead_letter WHERE reason = 'old'`)).rowCount).toBe(0)
  })

  /** Messages of the partition that have not taken effect. */
  const lag = async () => (await consumerLag.get()).values.find(({ labels }) => labels.partition === 9)?.value

  it('finishes the batch in flight when it is stopped, and reports its lag', async () => {
    await publish('slow', 'c')
    await eventually(() => expect(Writer.calls).toBe(1))
    expect(await lag()).toBeGreaterThanOrEqual(2)
    const closed = app.close()
    await eventually(() => expect(app.getHttpServer().listening).toBe(false))
    Writer.release()
    await closed
    expect(await applied(database)).toEqual(['a', 'b', 'slow', 'c'])
    expect(await lag()).toBe(0)
    expect(Writer.calls).toBe(1)
  })
})
