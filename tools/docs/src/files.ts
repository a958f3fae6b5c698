import { fileURLToPath } from 'node:url'

const inRepository = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url))

/** The description as the gateway serves it, made from the code and committed. */
export const snapshotFile = inRepository('docs/openapi.json')

/** The description of the operators' interface, made from the code and committed. */
export const operatorsFile = inRepository('docs/operators-openapi.json')

/** The description of the last release, with which the current one must be compatible. */
export const releasedFile = inRepository('docs/openapi.released.json')

/** Golden vectors of signatures, made from the code and committed. */
export const vectorsFile = inRepository('docs/vectors.json')
/** Rules of Spectral for the description. */
export const rulesetFile = inRepository('tools/docs/spectral.yaml')

/** Markdown of the pages. */
export const guidesFolder = inRepository('docs/guides')

/** Programs for partners. */
export const examplesFolder = inRepository('examples')

/** Where VitePress finds its configuration, and the pages that it builds. */
export const siteRoot = inRepository('tools/docs')
export const pagesFolder = inRepository('tools/docs/dist/pages')

/** The page with the form of the sign-in. */
export const signInSource = inRepository('tools/docs/sign-in.md')

/** The built site, which the gateway reads: `public`, `full` and `openapi.json`. */
export const siteFolder = inRepository('tools/docs/dist/site')

/** The page with the error codes that only operators get, made from the code. */
export const operatorsErrors = inRepository('docs/operations/errors.md')

/** The guide with tables of error codes, which are made from the code. */
export const errorsGuide = inRepository('docs/guides/errors.md')

/** The table of configuration keys, made from the services' `config.ts` and committed. */
export const configurationFile = inRepository('docs/configuration.md')

/** The picture of the system at the top of the README. */
export const overviewSource = inRepository('docs/overview.dot')
export const overviewPicture = (theme: string): string => inRepository(`docs/overview-${theme}.svg`)
