// Checks the machine's requirements before anything is downloaded; each missing one is explained in one sentence.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { childEnvironment, javaHome } from '../config.mjs'
import { Refusal } from './refusal.mjs'

const JDK = process.platform === 'darwin' ? 'brew install openjdk@21' : 'apt-get install openjdk-17-jdk-headless'
const MAVEN = process.platform === 'darwin' ? 'brew install maven' : 'apt-get install maven'
const DOCKER = 'or use the parts of a running Docker engine: npm start -- --docker'

/** Refuses a Node that is too old even to run the installation. */
export function checkNode(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  throw new Refusal(`Node ${version} is too old: install Node 20.19 or newer (https://nodejs.org, or: nvm install 24).`)
}

/** The `java` to run: JAVA_HOME's, else the one in PATH. */
export const javaCommand = () => (javaHome ? join(javaHome, 'bin', 'java') : 'java')

/** Environment of Java programs: in the locale C they open no file with a letter outside ASCII in its path. */
export const javaEnvironment = { LC_ALL: 'C.UTF-8' }

/** Checks for Java >= 17 and returns its version. */
export function checkJava() {
  if (javaHome && !existsSync(javaCommand())) {
    throw new Refusal(
      `JAVA_HOME points to ${javaHome}, but there is no bin/java in it: correct it or unset it (unset JAVA_HOME), ${DOCKER}`,
    )
  }
  const answer = spawnSync(javaCommand(), ['-version'], { encoding: 'utf8', env: childEnvironment() })
  const version = /version "([^"]+)"/.exec(`${answer.stderr}${answer.stdout}`)?.[1]
  if (answer.error || answer.status !== 0 || !version) {
    throw new Refusal(`Kafka needs Java 17 or newer and no working java was found: install it (${JDK}), ${DOCKER}`)
  }
  if (Number(version.replace(/^1\./, '').split(/[.+-]/)[0]) >= 17) return version
  throw new Refusal(`Kafka needs Java 17 or newer, this machine's is ${version}: install it (${JDK}), ${DOCKER}`)
}

/** Checks that Maven is there; it is only needed while Kafka and Redis are not downloaded yet. */
export function checkMaven() {
  const answer = spawnSync('mvn', ['-v'], { encoding: 'utf8', env: childEnvironment() })
  if (!answer.error && answer.status === 0) return
  const reason = answer.error ? 'no mvn was found' : `mvn does not run (${firstLine(answer.stderr || answer.stdout)})`
  throw new Refusal(`Kafka and Redis are downloaded with Maven and ${reason}: install it (${MAVEN}), ${DOCKER}`)
}

const firstLine = (text) => text.trim().split('\n')[0] ?? ''
