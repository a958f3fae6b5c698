// The images' HEALTHCHECK, run in the service's folder: fails unless the service is ready. The gateway answers on its
// private port.
const { PRIVATE_PORT, PORT } = process.env

/** Default port of the service, for an environment without one. */
async function defaultPort() {
  const tables = Object.values(await import(`${process.cwd()}/app/dist/config.js`))
  const keys = tables.find((table) => table.PRIVATE_PORT ?? table.PORT)
  return (keys.PRIVATE_PORT ?? keys.PORT).fallback
}

const port = PRIVATE_PORT ?? PORT ?? (await defaultPort())
const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch((error) => ({
  ok: false,
  status: error.cause?.code,
}))
if (!answer.ok) {
  process.stdout.write(`port ${port}: ${answer.status}\n`)
  process.exit(1)
}
