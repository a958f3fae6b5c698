import type { FeedConfig } from '../config.js'

/** Injection token of `RiskRules`. */
export const RISK_RULES = Symbol('rules by which waiting reservations are at risk')

/** Rules by which a reservation that a partner has not fetched is at risk. */
export interface RiskRules {
  /** Longest wait of a reservation whose arrival is soon, s. */
  waitSeconds: number
  /** Days until an arrival that count as soon, by the property's calendar. */
  arrivalDays: number
  /** Longest wait regardless of the arrival, s. */
  longWaitSeconds: number
}

/** The configured rules. */
export const riskRulesOf = (config: FeedConfig): RiskRules => ({
  waitSeconds: config.RISK_WAIT_SECONDS,
  arrivalDays: config.RISK_ARRIVAL_DAYS,
  longWaitSeconds: config.RISK_LONG_WAIT_SECONDS,
})

const DAY = 86_400_000

/** Bounds of one moment at one property; stamps in ms, days `YYYY-MM-DD`. */
export interface RiskBounds {
  /** Rows with an earlier stamp wait too long if their guests arrive soon. */
  stampedBefore: number
  /** Rows with an earlier stamp wait too long in any case. */
  stampedLongBefore: number
  today: string
  /** Last day of arrival that counts as soon. */
  soon: string
}

/**
 * @param now ms
 * @param today of the property, `YYYY-MM-DD`
 */
export const boundsAt = (rules: RiskRules, now: number, today: string): RiskBounds => ({
  stampedBefore: now - rules.waitSeconds * 1_000,
  stampedLongBefore: now - rules.longWaitSeconds * 1_000,
  today,
  soon: new Date(Date.parse(today) + rules.arrivalDays * DAY).toISOString().slice(0, 10),
})
