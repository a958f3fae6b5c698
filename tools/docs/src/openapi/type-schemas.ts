import { fileURLToPath } from 'node:url'
import type { JSONSchema7, JSONSchema7Definition } from 'json-schema'
import { createGenerator } from 'ts-json-schema-generator'
import type { Schema } from './model.js'
import { toOpenApi } from './to-open-api.js'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

/**
 * Schemas of types that `libs/contracts` exports, and of all types they contain, by name: fields come from the types,
 * descriptions from the comments.
 */
export function schemasOfTypes(names: Iterable<string>): Record<string, Schema> {
  const generator = createGenerator({
    path: `${ROOT}libs/contracts/src/!(*.spec).ts`,
    tsconfig: `${ROOT}tools/docs/types.tsconfig.json`,
    skipTypeCheck: true,
    expose: 'export',
    jsDoc: 'extended',
    topRef: true,
    // Fields are added in minor versions; clients ignore what they do not know.
    additionalProperties: true,
  })
  const definitions: Record<string, JSONSchema7Definition> = {}
  for (const name of names) Object.assign(definitions, generator.createSchema(name).definitions)
  return toOpenApi(definitions as Record<string, JSONSchema7>)
}
