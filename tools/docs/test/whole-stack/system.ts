import { readFileSync } from 'node:fs'
import { TraceCollector } from '@connectivity/testing/trace-collector'
import { WholeStack } from '@connectivity/testing/whole-stack'
import { snapshotFile } from '../../src/files.js'
import type { Document } from '../../src/openapi/model.js'
import { PartnerCalls } from './partner-calls.js'

/** The description that is committed. */
export const document = JSON.parse(readFileSync(snapshotFile, 'utf8')) as Document

/** One running system, which all parts of the suite share. */
export interface System {
  stack: WholeStack
  /** The demo application's partner, without rate limits. */
  partner: PartnerCalls
  /** Collector of the traces of all services. */
  collector: TraceCollector
}

const tracedTo = ({ endpoint }: TraceCollector): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  // Time after which a service gives up on spans, ms: a test waits for it.
  OTEL_EXPORTER_OTLP_TIMEOUT: '5000',
})

/** Starts a stack that sends its traces to a collector. */
export async function startSystem(): Promise<System> {
  const collector = await new TraceCollector().start()
  try {
    const stack = await WholeStack.start(tracedTo(collector))
    await stack.liftLimits()
    return { stack, collector, partner: new PartnerCalls(stack.demo.base_url, stack.connection) }
  } catch (error) {
    collector.stop()
    throw error
  }
}

/** Ends the stack and its collector. */
export async function stopSystem({ stack, collector }: System): Promise<void> {
  await stack.stop()
  collector.stop()
}
