// Sends one command to Redis in its wire protocol.
import { connect } from 'node:net'

/** Resolves with Redis's answer; rejects when it is an error. */
export function command(url: string, ...words: string[]): Promise<string> {
  const { hostname: host, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port) }, () => socket.write(`${words.join(' ')}\r\n`))
    socket.once('error', reject)
    socket.once('data', (answer) => {
      socket.destroy()
      if (String(answer).startsWith('-')) reject(new Error(String(answer)))
      else resolve(String(answer).trim())
    })
  })
}
