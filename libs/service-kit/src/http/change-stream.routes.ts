import type { ServerResponse } from 'node:http'
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { CHANGES_PATH, CURRENT, EVERYTHING_CHANGED } from '@connectivity/contracts/waiting'
import type { FastifyInstance } from 'fastify'
import { BackgroundLoop } from '../work/background-loop.js'

/** Interval of the lines by which readers notice a lost stream, ms. */
const HEARTBEAT = 1_000
/** Most bytes that a reader may leave unread. Beyond this it is disconnected; it reconnects and assumes any change. */
const MOST_UNREAD = 1024 * 1024

/**
 * Streams the ids of changed connections to the gateways: GET `CHANGES_PATH` is answered with an endless text, one line
 * of connection ids, separated by spaces, per commit. A reader that connects must assume that everything has changed.
 * Every second a line says whether the stream is current; an empty one only shows that it lives.
 */
@Injectable()
export class ChangeStream implements OnModuleInit, OnModuleDestroy {
  private readonly readers = new Set<ServerResponse>()
  private isStopping = false
  private isCurrent = () => false
  private readonly heartbeat = BackgroundLoop.every(HEARTBEAT, async () =>
    this.write(this.isCurrent() ? `${CURRENT}\n` : '\n'),
  )

  constructor(private readonly host: HttpAdapterHost) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>()
    fastify.get(CHANGES_PATH, (_request, reply) => {
      reply.hijack()
      this.add(reply.raw)
    })
    this.heartbeat.start(HEARTBEAT)
  }

  async onModuleDestroy(): Promise<void> {
    this.isStopping = true
    await this.heartbeat.stop()
    for (const reader of this.readers) reader.end()
    // Notifications that still arrive are not for these readers: they assume any change when they connect again.
    this.readers.clear()
  }

  /** Lets readers repeat answers that they got `UNTIL_CHANGE`, for as long as the condition holds. */
  currentWhile(condition: () => boolean): void {
    this.isCurrent = condition
  }

  /** @param connectionIds separated by spaces */
  changed(connectionIds: string): void {
    this.write(`${connectionIds}\n`)
  }

  /** Reports that changes may have been missed. */
  everythingChanged(): void {
    this.write(`${EVERYTHING_CHANGED}\n`)
  }

  private add(reader: ServerResponse): void {
    reader.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }).write('\n')
    // A stopping service waits for every answer to end, and its readers reconnect at once.
    if (this.isStopping) return void reader.end()
    this.readers.add(reader)
    reader.once('close', () => this.readers.delete(reader))
  }

  private write(line: string): void {
    for (const reader of this.readers) {
      reader.write(line)
      if (reader.writableLength > MOST_UNREAD) reader.destroy()
    }
  }
}
