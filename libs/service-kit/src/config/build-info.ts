import { Gauge } from 'prom-client'
import { as, type ConfigKeys } from './config.js'

/** Configuration keys that identify the build; the images set them. */
export const buildKeys = {
  BUILD_VERSION: {
    about: 'Version of this build, in every log line and metric of it.',
    read: as.text,
    fallback: 'unknown',
  },
  BUILD_REVISION: { about: 'Commit of this build.', read: as.text, fallback: 'unknown' },
} satisfies ConfigKeys

/** Values of `buildKeys`; absent where a test starts a service. */
export interface BuildConfig {
  BUILD_VERSION?: string
  BUILD_REVISION?: string
}

const buildInfo = new Gauge({
  name: 'connectivity_build_info',
  help: 'Always 1; its labels say which build runs.',
  labelNames: ['version', 'revision'] as const,
})

/** Sets the gauge of this process. */
export const noteBuild = ({ BUILD_VERSION = 'unknown', BUILD_REVISION = 'unknown' }: BuildConfig): void =>
  buildInfo.set({ version: BUILD_VERSION, revision: BUILD_REVISION }, 1)
