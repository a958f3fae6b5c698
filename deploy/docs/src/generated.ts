import { format } from 'prettier'
import { withErrorTables } from './errors/error-tables.js'
import { errorsGuide, snapshotFile } from './files.js'
import { openApiDocument } from './openapi/document.js'

const LINE = 120

/**
 * What is made from the code and committed, so that a change of the interface shows in a diff: the description, and the
 * tables of the guide to errors.
 * @param read gives the text of a file
 */
export async function generated(read: (file: string) => string): Promise<{ file: string; text: string }[]> {
  const description = await format(JSON.stringify(openApiDocument()), { parser: 'json', printWidth: LINE })
  const errors = await format(withErrorTables(read(errorsGuide)), { parser: 'markdown', printWidth: LINE })
  return [
    { file: snapshotFile, text: description },
    { file: errorsGuide, text: errors },
  ]
}
