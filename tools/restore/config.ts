// Settings of the drill.

/** BARMAN_CLOUD: folder with Barman's `barman-cloud-…` programs, which the account `nobody` can run. */
export const barmanFolder = process.env.BARMAN_CLOUD || undefined
