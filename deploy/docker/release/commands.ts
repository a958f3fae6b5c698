// The commands of a release, without running any.

/** Inputs of a release. */
export interface Release {
  version: string
  /** Commit, 40 hexadecimal digits. */
  revision: string
  /** Seconds since 1970 of that commit: the time in every file of the image, so that building again gives the same. */
  committed: number
  /** Registry and folder, `registry.example.com/partner-connectivity`. */
  registry: string
}

/** A command, its arguments and more of its environment. */
export interface Command {
  file: string
  args: readonly string[]
  env?: Record<string, string>
}

const PLATFORMS = 'linux/amd64,linux/arm64'

/** Path of the file into which buildx writes the digest of an app's image. */
export const metadataFile = (app: string, folder: string): string => `${folder}/${app}.json`

/** Builds and pushes an app for both platforms, with a bill of materials (SPDX) and its provenance (SLSA) beside it. */
export const build = (app: string, { version, revision, committed, registry }: Release, folder: string): Command => ({
  file: 'docker',
  args: [
    'buildx',
    'build',
    '--file=deploy/docker/Dockerfile',
    `--platform=${PLATFORMS}`,
    `--build-arg=APP=${app}`,
    `--build-arg=VERSION=${version}`,
    `--build-arg=REVISION=${revision}`,
    '--attest=type=sbom',
    '--attest=type=provenance,mode=max',
    `--metadata-file=${metadataFile(app, folder)}`,
    `--tag=${registry}/${app}:${version}`,
    '--push',
    '.',
  ],
  env: { SOURCE_DATE_EPOCH: String(committed) },
})

/** Signs an image by its digest with the identity of the person who runs the release (Sigstore), in the public log. */
export const sign = (image: string): Command => ({ file: 'cosign', args: ['sign', '--yes', '--recursive', image] })

/**
 * Refuses a release whose packages have a known weakness of high severity in what production runs.
 * @param advisories folder of advisories, for a machine without a way out; the registry is asked without it
 */
export const audit = (advisories?: string): Command => ({
  file: 'npm',
  args:
    advisories === undefined
      ? ['audit', '--omit=dev', '--audit-level=high']
      : ['run', 'advisories', '--', '--production', '--severity=high', `--from=${advisories}`],
})

/** How an overlay takes the images. */
export const setImages = (images: ReadonlyMap<string, string>): Command => ({
  file: 'kustomize',
  args: ['edit', 'set', 'image', ...[...images].map(([app, image]) => `partner-connectivity/${app}=${image}`)],
})
