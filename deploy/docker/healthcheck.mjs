// The images' HEALTHCHECK, run in the service's folder: fails unless the service is ready. The gateway answers on its
// private port. It is started every few seconds, so it loads as little as it can.
const { PRIVATE_HOST, PRIVATE_PORT, PRIVATE_TLS_FILES, PORT, TLS_FILES } = process.env
const { get } = await import(PRIVATE_TLS_FILES || TLS_FILES ? 'node:https' : 'node:http')

/** Default port of the service, for an environment without one. */
async function defaultPort() {
  const tables = Object.values(await import(`${process.cwd()}/app/dist/config.js`))
  const keys = tables.find((table) => table.PRIVATE_PORT ?? table.PORT)
  return (keys.PRIVATE_PORT ?? keys.PORT).fallback
}

const port = PRIVATE_PORT ?? PORT ?? (await defaultPort())

function fail(reason) {
  process.stdout.write(`port ${port}: ${reason}\n`)
  process.exitCode = 1
}

// The certificate is for the service's name; here the address alone says who answers.
const here = { host: PRIVATE_HOST || '127.0.0.1', port, rejectUnauthorized: false }
get({ ...here, path: '/health/ready', agent: false }, (answer) => {
  answer.resume()
  if (answer.statusCode !== 200) fail(answer.statusCode)
}).on('error', (error) => fail(error.code))
