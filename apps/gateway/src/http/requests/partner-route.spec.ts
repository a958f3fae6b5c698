import { allowedMethods, matchTarget, operationFor } from './partner-route.js'

const base = '/api/connectivity/v1'

describe('partner routes', () => {
  it.each([
    ['/reservations', null],
    ['/reservations?property_id=x', null],
    ['/reservations/RSV-1', 'RSV-1'],
    ['/reservations/RSV%2F1?property_id=x', 'RSV%2F1'],
    ['/auth/health', null],
  ])('%s is known', (path, id) => {
    expect(matchTarget(base + path)).toMatchObject({ id })
  })

  it.each([
    `${base}/reservations/`,
    `${base}//reservations`,
    `${base}/./reservations`,
    `${base}/x/../reservations`,
    `${base}/Reservations`,
    `${base}/%72eservations`,
    `${base}/reservations/a/b`,
    `${base}/reservations;v=1`,
    `${base}/reservations#x`,
    `/api/connectivity/V1/reservations`,
    `http://host${base}/reservations`,
    base,
    '/',
    '*',
    '',
  ])('%s is not normalised into a known one', (target) => {
    expect(matchTarget(target)).toBeNull()
  })

  it('take HEAD as GET', () => {
    const route = matchTarget(`${base}/reservations`)!
    expect(operationFor(route, 'HEAD')).toBe(operationFor(route, 'GET'))
    expect(operationFor(route, 'POST')).toBeUndefined()
    expect(operationFor(route, 'get')).toBeUndefined()
    expect(allowedMethods(route)).toBe('GET, HEAD')
  })
})
