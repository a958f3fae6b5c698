import { Inject, Injectable, type OnApplicationShutdown, Optional } from '@nestjs/common'
import { FairQueues, waitForTurn } from '@connectivity/service-kit/work'
import { ANSWER_LIMITS } from './answer-filter.js'
import { type Answered, AttemptHandler } from './attempt-handler.js'
import { type CallbackTarget, callbackTarget, type TargetRules } from './callback-target.js'
import { HostAddresses, type Resolve } from './host-addresses.js'
import { KeptClients } from './kept-clients.js'
import { asSpan, beginAttempt } from './attempt-span.js'
import { SendFailure } from './send-failure.js'
import type { Outcome, Sender, SendOptions, SendRequest } from './sender.js'
import { VettedAddresses } from './vetted-connector.js'

const SEND_LIMIT = 15_000
/** Requests to one host at once; beyond them each callback may have one. */
const HOST_LIMIT = 64
/** Interval at which the bytes of an attempt are counted, ms. */
const LOOK_EVERY = 100

/** Injection token of the rules for callback targets. */
export const TARGET_RULES = Symbol('target rules')
/** Injection token of the function that resolves host names. */
export const RESOLVE = Symbol('resolve')

const HEADERS = {
  'content-type': 'application/json',
  'user-agent': 'partner-connectivity-callbacks/1',
  // Nothing is ever decompressed.
  'accept-encoding': 'identity',
}

/** POSTs over HTTP to vetted addresses. */
@Injectable()
export class HttpSender implements Sender, OnApplicationShutdown {
  /**
   * Places per host, which many callbacks may share: at most 64 requests at once, but always one per callback, so that
   * slow answers to one do not block the others.
   */
  private readonly places = new FairQueues({ mayBegin: (_callback, own, all) => all < HOST_LIMIT || own === 0 })
  private readonly vetted: VettedAddresses
  private readonly clients: KeptClients

  constructor(
    @Inject(TARGET_RULES) private readonly rules: TargetRules,
    @Inject(RESOLVE) resolve: Resolve,
    /** Longest time from the beginning of an attempt to its end, ms. */
    @Optional() readonly limit: number = SEND_LIMIT,
  ) {
    this.vetted = new VettedAddresses(new HostAddresses(resolve), rules.addresses)
    this.clients = new KeptClients(this.vetted)
  }

  async send(request: SendRequest, options: SendOptions = {}): Promise<Outcome> {
    const span = beginAttempt(request)
    const outcome = await this.outcomeOf(request, options)
    span?.end(asSpan(outcome))
    return outcome
  }

  onApplicationShutdown(): void {
    this.clients.close()
  }

  private async outcomeOf(request: SendRequest, options: SendOptions): Promise<Outcome> {
    let startedAt = performance.now()
    const attempt = new AttemptHandler(options.wantsBody === true)
    try {
      const target = targetOf(request.url, this.rules)
      options.signal?.throwIfAborted()
      const places = this.places.of(target.origin)
      await waitForTurn(places.enter(request.callback), { ms: options.maxWait, late: noPlace, signal: options.signal })
      startedAt = performance.now()
      const answer = await this.exchange(target, request, attempt, options.signal).finally(() =>
        places.leave(request.callback),
      )
      return { ...answer, error: null, timedOut: false, at: attempt.at, durationMs: took(startedAt) }
    } catch (error) {
      const { meaning } = options.signal?.aborted ? new SendFailure('aborted') : SendFailure.of(error)
      return unanswered(meaning, attempt.at, took(startedAt))
    }
  }

  /** @throws SendFailure */
  private async exchange(
    target: CallbackTarget,
    { headers, body }: SendRequest,
    attempt: AttemptHandler,
    signal?: AbortSignal,
  ): Promise<Answered> {
    // A timer can be cleared; AbortSignal.timeout would keep one for 15 s after each quick answer.
    const timer = setTimeout(() => attempt.end(new SendFailure('timeout')), this.limit)
    const abort = () => attempt.end(new SendFailure('aborted'))
    signal?.addEventListener('abort', abort)
    let watch: NodeJS.Timeout | undefined
    let taken: ReturnType<KeptClients['take']> | undefined
    try {
      // Checked at every attempt, even with an open connection: the name may lead to another address by now.
      await Promise.race([this.vetted.of(target), attempt.answered])
      attempt.at = Date.now()
      const all = { ...HEADERS, ...headers(attempt.at) }
      taken = this.clients.take(target)
      watch = watchBytes(taken.connection, () => attempt.end(new SendFailure('protocol_error')))
      taken.client.dispatch({ method: 'POST', path: target.path, headers: all, body }, attempt)
      return await attempt.answered
    } finally {
      clearTimeout(timer)
      clearInterval(watch)
      signal?.removeEventListener('abort', abort)
      if (attempt.isWhole && taken) this.clients.giveBack(target, taken)
      else void taken?.client.destroy().catch(() => undefined)
    }
  }
}

/**
 * Watches for a receiver that floods records of TLS without data: they cost CPU time and never reach the reader of the
 * answer.
 */
function watchBytes(connection: { received?: () => number }, flooded: () => void): NodeJS.Timeout {
  const kept = connection.received
  const before = kept?.() ?? 0
  // The receiver may have closed the kept connection; bytes then count from the beginning of a new one.
  const received = () => (connection.received?.() ?? 0) - (connection.received === kept ? before : 0)
  return setInterval(() => {
    if (received() > ANSWER_LIMITS.wireBytes) flooded()
  }, LOOK_EVERY)
}

const noPlace = (): SendFailure => new SendFailure('no_place')

const took = (startedAt: number): number => Math.round(performance.now() - startedAt)

/** Applies the current rules, which may have changed since the callback was registered. */
function targetOf(url: string, rules: TargetRules): CallbackTarget {
  const target = callbackTarget(url, rules)
  if (typeof target === 'string') throw new SendFailure('blocked_address')
  return target
}

const NOTHING = Buffer.alloc(0)

const unanswered = (error: SendFailure['meaning'], at: number, durationMs: number): Outcome => ({
  status: null,
  retryAfterSeconds: null,
  error,
  timedOut: error === 'timeout',
  at,
  durationMs,
  body: NOTHING,
})
