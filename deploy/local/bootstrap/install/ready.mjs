// Prepares a bare clone so that everything else can run.
import { downloads, outside } from '../config.mjs'
import { isOwnNode } from './own-node.mjs'
import { cleanUpAfterKilled } from '../processes/leftovers.mjs'
import { withStack } from '../processes/with-stack.mjs'
import { alone } from './install-lock.mjs'
import { fetchParts, hasParts, installPackages, isInstalled } from './install.mjs'
import { checkJava, checkMaven, checkNode } from '../machine/requirements.mjs'

/**
 * Checks the machine's requirements and installs missing packages and parts.
 * @param {{ parts: boolean }} options `parts` false: PostgreSQL, Redis and Kafka come from Docker
 * @returns {Promise<boolean>} false when this process has to run again on the Node just installed
 */
export async function ready({ parts }) {
  checkNode()
  if (parts && !outside.kafka) checkJava()
  const fetches = parts && !(outside.kafka && outside.redis)
  if (fetches && !hasParts()) checkMaven()
  if (!isInstalled() || (fetches && !hasParts())) await alone(() => install(fetches))
  return isOwnNode()
}

const install = async (fetches) => {
  await cleanUpAfterKilled(downloads)
  const work = ({ logDir, track }) =>
    Promise.all([installPackages({ logDir, onStart: track }), fetches && fetchParts({ logDir, onStart: track })])
  await withStack({ dir: downloads }, work)
}
