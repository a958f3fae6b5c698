import { type Profile, sharesOf } from './profile.ts'

const frames = [
  ['(idle)', ''],
  ['(garbage collector)', ''],
  ['(program)', ''],
  ['writev', ''],
  ['emit', 'node:events'],
  ['query', 'file:///srv/node_modules/pg/lib/client.js'],
  ['walk', 'file:///srv/node_modules/@fastify/middie/index.js'],
  ['admit', 'file:///srv/apps/gateway/dist/admission/admission.service.js'],
  ['sign', 'file:///srv/node_modules/@connectivity/signing/dist/hmac.js'],
  ['start', 'file:///srv/tool.ts'],
] as const

describe('a profile', () => {
  it('is summed up by package, part of Node.js and folder of ours, without idle time', () => {
    const nodes = frames.map(([functionName, url], id) => ({ id, callFrame: { functionName, url } }))
    const profile: Profile = { nodes, samples: [...nodes.keys(), 3], timeDeltas: [1_000, ...frames.map(() => 10)] }
    const shares = Object.entries(sharesOf(profile)).map(([place, share]) => [place, Math.round(share * 100)])
    expect(Object.fromEntries(shares)).toEqual({
      'garbage collection': 10,
      'native code of Node.js': 10,
      'writes to sockets': 20,
      'Node.js: streams, sockets, HTTP, timers': 10,
      pg: 10,
      '@fastify/middie': 10,
      'ours: gateway/admission': 10,
      'ours: signing/hmac': 10,
      other: 10,
    })
  })
})
