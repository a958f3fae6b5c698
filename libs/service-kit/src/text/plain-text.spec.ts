import { isThisMachine, plainUrlCaution } from './plain-text.js'

describe('an address', () => {
  it.each([
    'http://127.0.0.1:80',
    'postgres://u:p@localhost/x',
    'http://[::1]:8080/',
    'localhost:9092',
    '127.0.0.1:1',
    '[::1]:9092',
  ])('%s is on this machine', (address) => expect(isThisMachine(address)).toBe(true))

  it.each([
    'http://catalog:8082',
    'postgres://u:p@db/localhost',
    'kafka:9092',
    '10.0.0.1:9092',
    'http://localhost.example.com',
    '127.0.0.1.example.com:1',
  ])('%s is on another machine', (address) => expect(isThisMachine(address)).toBe(false))

  it.each([
    ['redis://redis:6379', ['REDIS_URL is not protected by TLS: set a rediss:// address']],
    ['redis://127.0.0.1:6379', []],
    ['rediss://redis:6379', []],
  ])('%s has the cautions %j', (url, cautions) =>
    expect(plainUrlCaution('REDIS_URL', url, 'redis', 'rediss')).toEqual(cautions),
  )
})
