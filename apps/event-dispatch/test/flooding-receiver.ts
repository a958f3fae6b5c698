/**
 * Receivers that flood, in a separate process so that the sender does not do their work. The path of a request selects
 * the answer; the port is written to standard output.
 */
import { createServer, type Socket } from 'node:net'

const KIB = 1024
const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'

/** By path: the text written once, and the text repeated for as long as it is read. */
const floods: Record<string, [once: string, forEver: string]> = {
  hints: ['', 'HTTP/1.1 103 E\r\n\r\n'],
  continue: ['', 'HTTP/1.1 100 Continue\r\n\r\n'],
  'fat-hints': ['', `HTTP/1.1 103 E\r\n${'a:\r\n'.repeat(4 * KIB)}\r\n`],
  'status-line': ['HTTP/1.1 200 ', 'x'],
  headers: ['HTTP/1.1 200 OK\r\n', 'a:\r\n'],
  spaces: ['HTTP/1.1 200 OK\r\nx:', ' '],
  'blank-lines': ['', '\r\n'],
  'chunk-extension': [`${chunked}5;`, 'x'],
  trailers: [`${chunked}0\r\n`, 'a:\r\n'],
  body: ['HTTP/1.1 200 OK\r\n\r\n', 'x'],
  'after-answer': ['HTTP/1.1 200 OK\r\nkeep-alive: timeout=60\r\ncontent-length: 0\r\n\r\n', '\r\n'],
}

const LARGE_WRITE = 64 * KIB

function flood(socket: Socket, [once, forEver]: [string, string]): void {
  socket.write(once)
  const piece = Buffer.from(forEver.repeat(Math.ceil(LARGE_WRITE / forEver.length)))
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece));
    if (!socket.destroyed) socket.once('drain', more)
  }
  more()
}

const server = createServer((socket) => {
  let received = ''
  socket.on('error', () => undefined)
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1')
    if (!received.endsWith('\r\n\r\n{}')) return
    const [, path = ''] = /^POST \/(\S*)/.exec(received) ?? []
    received = ''
    const found = floods[path]
    if (found) flood(socket, found)
    else socket.write('HTTP/1.1 204 Done\r\n\r\n')
  })
})
server.listen(0, '127.0.0.1', () => process.stdout.write(String((server.address() as { port: number }).port)))
