// Strimzi's definitions (CRDs), made by its own generator from its own classes, as its release makes them.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cache, javaHome } from './config.ts'
import { versions } from './versions.ts'

const JVMS = '/usr/lib/jvm'
const NEEDED = 21
const KINDS = { kafka: 'Kafka', nodepool: 'KafkaNodePool', topic: 'KafkaTopic', user: 'KafkaUser' }

function versionOf(java: string): number {
  const { stderr, status } = spawnSync(java, ['-version'], { encoding: 'utf8' })
  return status === 0 ? Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0) : 0
}

/** @throws Error when no JDK on this machine is new enough */
function java(): string {
  const installed = existsSync(JVMS) ? readdirSync(JVMS).map((name) => join(JVMS, name, 'bin/java')) : []
  const candidates = [...(javaHome ? [join(javaHome, 'bin/java')] : []), 'java', ...installed]
  const found = candidates.find((candidate) => versionOf(candidate) >= NEEDED)
  if (found === undefined) throw new Error(`Strimzi's generator needs a JDK ${NEEDED} or newer: set JAVA_HOME`)
  return found
}

/** Folder with the definitions; generated once per version. */
export function strimziDefinitions(): string {
  const { version } = versions.operators.strimzi!
  const folder = join(cache, `strimzi-${version}`)
  if (existsSync(folder)) return folder
  const aside = `${folder}.making`
  const jars = join(aside, 'jars')
  rmSync(aside, { recursive: true, force: true })
  mkdirSync(jars, { recursive: true })
  const pom = join(import.meta.dirname, 'strimzi/pom.xml')
  const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.9.0:copy-dependencies'
  execFileSync('mvn', ['-B', '-q', '-f', pom, goal, `-Dstrimzi=${version}`, `-DoutputDirectory=${jars}`])
  const files = Object.entries(KINDS).map(
    ([part, kind]) => `io.strimzi.api.kafka.model.${part}.${kind}=${join(aside, `${part}.yaml`)}`,
  )
  const options = ['--target-kube', '1.30+', '--api-versions', 'v1', '--storage-version', 'v1', '--yaml']
  const generator = ['-cp', join(jars, '*'), 'io.strimzi.crdgenerator.CrdGenerator']
  execFileSync(java(), [...generator, ...options, ...files], { stdio: 'pipe' })
  rmSync(jars, { recursive: true })
  renameSync(aside, folder)
  return folder
}
