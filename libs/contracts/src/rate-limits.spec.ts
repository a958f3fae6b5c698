import { rateClasses, RateLimit, RateLimitChanges } from './rate-limits.js'
import { nestedShapeOf } from './validation.js'

describe('the limits of an application', () => {
  it.each(rateClasses)('can be changed for the class %s', (rateClass) => {
    expect(nestedShapeOf(RateLimitChanges, rateClass)).toBe(RateLimit)
  })
})
