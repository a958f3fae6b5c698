// Forwards a page without any rules: one bare node:http process between the client and the floor.
import { createServer } from 'node:http'
import { Pool } from 'undici'

const pool = new Pool(process.env.ORIGIN, { connections: 16 })

const server = createServer((request, response) => {
  pool
    .stream({ path: request.url, method: 'GET' }, ({ statusCode, headers }) => response.writeHead(statusCode, headers))
    .catch(() => response.destroy())
})
server.listen(0, '127.0.0.1', () => process.send(server.address().port))
