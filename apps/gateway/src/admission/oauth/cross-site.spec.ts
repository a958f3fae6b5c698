import { refuseCrossSite } from './cross-site.js'

const refusal = expect.objectContaining({ code: 'cross_site_request' })

describe('a token request', () => {
  it.each([
    [{}],
    [{ origin: 'https://api.example.com' }],
    [{ origin: 'HTTP://API.example.com' }],
    [{ 'sec-fetch-site': 'same-origin' }],
    [{ 'sec-fetch-site': 'none' }],
  ])('from a server or from our own origin passes: %j', (headers) => {
    expect(() => refuseCrossSite({ host: 'api.example.com', ...headers })).not.toThrow()
  })

  it.each([
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'cross-site', origin: 'https://api.example.com' }],
    [{ origin: 'https://evil.example' }],
    [{ origin: 'https://api.example.com.evil.example' }],
    [{ origin: 'https://api.example.com:8443' }],
    [{ origin: 'null' }],
    [{ origin: '' }],
  ])('from another site is refused: %j', (headers) => {
    expect(() => refuseCrossSite({ host: 'api.example.com', ...headers })).toThrow(refusal)
  })
})
