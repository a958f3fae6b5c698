// Forwards a request without any rules: one bare node:http process between the client and the floor.
import { createServer } from 'node:http'
import { Pool } from 'undici'
import { given } from '@connectivity/toolkit/config'
import { serve } from './forked.ts'

const pool = new Pool(given('ORIGIN'), { connections: 16 })

const server = createServer((request, response) => {
  const { url: path = '/' } = request
  const sent =
    request.method === 'POST' ? ({ path, method: 'POST', body: request } as const) : ({ path, method: 'GET' } as const)
  pool
    .stream(sent, ({ statusCode, headers }) => response.writeHead(statusCode, headers))
    .catch(() => response.destroy())
})
serve(server)
