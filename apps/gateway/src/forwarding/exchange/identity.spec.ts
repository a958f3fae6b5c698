import { createSecretKey, randomBytes } from 'node:crypto'
import { jest } from '@jest/globals'
import { IDENTITY_HEADER, services, type ServiceName, TAKES_PROOFS_HEADER } from '@connectivity/contracts/identity'
import { verifyIdentity } from '@connectivity/service-kit/identity'
import { followerClaims, identify } from './identity.js'
import { noteForm } from './identity-forms.js'

const keys = Object.fromEntries(services.map((name) => [name, createSecretKey(randomBytes(32))])) as Parameters<
  typeof identify
>[1]
const request = { method: 'GET', target: '/internal/changes' }
const takingProofs = { [TAKES_PROOFS_HEADER]: '1' }

/** Parts of an identity that is made now and accepted by the service. */
function partsFor(service: ServiceName): number {
  const headers: Record<string, string> = {}
  identify(headers, keys, followerClaims(service), request)
  expect(verifyIdentity(keys[service], service, { ...request, headers }, Date.now() / 1000)).toMatchObject({
    method: 'GET',
  })
  return headers[IDENTITY_HEADER]!.split('.').length
}

describe('the form of identities', () => {
  let now = 0
  beforeEach(() => void jest.spyOn(performance, 'now').mockImplementation(() => now))
  afterEach(() => void jest.restoreAllMocks())
  const [WHOLE, WITH_PROOF] = [3, 6]

  it('changes when all answers of a service have shown for ten seconds that it takes proofs', () => {
    expect(partsFor('catalog')).toBe(WHOLE)
    noteForm('catalog', takingProofs)
    now = 10_000
    noteForm('catalog', takingProofs)
    expect(partsFor('catalog')).toBe(WHOLE)
    now = 10_001
    expect(partsFor('catalog')).toBe(WITH_PROOF)
    expect(partsFor('ari')).toBe(WHOLE)
  })

  it('goes back with the first answer of a replica of the previous release', () => {
    noteForm('catalog', {})
    expect(partsFor('catalog')).toBe(WHOLE)
    noteForm('catalog', takingProofs)
    now = 20_000
    expect(partsFor('catalog')).toBe(WHOLE)
    now = 20_003
    expect(partsFor('catalog')).toBe(WITH_PROOF)
  })
})
