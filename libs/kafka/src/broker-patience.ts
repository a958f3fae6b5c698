import { setTimeout as delay } from 'node:timers/promises'

/** Time that a stopping process gives the broker, ms. */
const PATIENCE = 3_000

/** Waits for something that needs the broker, but not for a broker that is away: kafkajs would retry for ever. */
export const whileBrokerAnswers = async (work: Promise<unknown>): Promise<void> => {
  await Promise.race([work.catch(() => undefined), delay(PATIENCE, undefined, { ref: false })])
}
