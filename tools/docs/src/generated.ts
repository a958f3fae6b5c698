import { format } from 'prettier'
import { readErrorSamples } from './errors/error-samples.js'
import { operatorsErrorPage, withErrorTables } from './errors/error-tables.js'
import {
  errorsGuide,
  operatorsErrors,
  operatorsFile,
  overviewPicture,
  overviewSource,
  snapshotFile,
  vectorsFile,
} from './files.js'
import { openApiDocument } from './openapi/document.js'
import { operatorsDocument } from './openapi/operators/operators-document.js'
import { overviewPictures } from './overview.js'
import { vectors } from './vectors.js'

const LINE = 120

/**
 * Generates the committed files: the description, the tables of error codes and the golden vectors, so that a change of
 * the interface shows in a diff, and the pictures of the README.
 * @param read returns the text of a file
 * @param folder with the code of each app: `src` for tests, `dist` once it is built
 */
export async function generated(
  read: (file: string) => string,
  folder: 'src' | 'dist',
): Promise<{ file: string; text: string }[]> {
  const samples = await readErrorSamples(folder)
  const description = await format(JSON.stringify(openApiDocument(samples)), { parser: 'json', printWidth: LINE })
  const operators = await format(JSON.stringify(operatorsDocument()), { parser: 'json', printWidth: LINE })
  const errors = await format(withErrorTables(read(errorsGuide)), { parser: 'markdown', printWidth: LINE })
  const forOperators = await format(operatorsErrorPage(), { parser: 'markdown', printWidth: LINE })
  const pictures = await overviewPictures(read(overviewSource))
  return [
    { file: snapshotFile, text: description },
    { file: operatorsFile, text: operators },
    { file: errorsGuide, text: errors },
    { file: vectorsFile, text: await format(JSON.stringify(vectors), { parser: 'json', printWidth: LINE }) },
    { file: operatorsErrors, text: forOperators },
    ...pictures.map(({ theme, svg }) => ({ file: overviewPicture(theme), text: svg })),
  ]
}
