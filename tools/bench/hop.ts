// Forwards a page without any rules: one bare node:http process between the client and the floor.
import { createServer } from 'node:http'
import { Pool } from 'undici'
import { given } from '@connectivity/toolkit/config'
import { serve } from './forked.ts'

const pool = new Pool(given('ORIGIN'), { connections: 16 })

const server = createServer(({ url = '/' }, response) => {
  pool
    .stream({ path: url, method: 'GET' }, ({ statusCode, headers }) => response.writeHead(statusCode, headers))
    .catch(() => response.destroy())
})
serve(server)
