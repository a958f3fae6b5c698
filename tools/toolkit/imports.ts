// Files and modules that a source file loads.
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import ts from 'typescript'

/** Modules that a file loads as soon as it is loaded itself; types are erased, `import()` comes later. */
export function importsOf(file: string): string[] {
  const { statements } = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest)
  return statements.flatMap((statement) => {
    const isImport =
      ts.isImportDeclaration(statement) && statement.importClause?.phaseModifier !== ts.SyntaxKind.TypeKeyword
    const isExport = ts.isExportDeclaration(statement) && !statement.isTypeOnly
    const from = isImport || isExport ? statement.moduleSpecifier : undefined
    return from && ts.isStringLiteral(from) ? [from.text] : []
  })
}

/** The file and every file that it loads by path, at any depth. */
export function filesLoadedBy(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found
  found.add(file)
  for (const name of importsOf(file)) if (name.startsWith('.')) filesLoadedBy(resolve(dirname(file), name), found)
  return found
}
