// TLS in front of PostgreSQL. Its argument is a file with the certificate, the address to listen at and the PostgreSQL.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Certificate } from '@connectivity/testing/certificates'
import { postgresTls } from '@connectivity/testing/postgres-tls'

interface Settings {
  tls: Certificate
  to: string
  address: string
  port: number
}

const { tls, to, address, port } = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as Settings
const server = postgresTls(tls, new URL(to)).listen(port, address)
await once(server, 'listening')
process.send!('listening')
