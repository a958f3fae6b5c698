import { createHash } from 'node:crypto'

/** Writes a file below the site. @param path relative to the site */
export type WriteFile = (path: string, text: string) => void

const BASE = '/docs/'
const DIGITS = 8

const fingerprinted = (text: string, name: string, extension: string): string =>
  `assets/${name}.${createHash('sha256').update(text).digest('hex').slice(0, DIGITS)}.${extension}`

/**
 * Makes a built page work under `default-src 'self'`: moves inline scripts and styles to files and removes style
 * attributes (scripts set those that matter).
 * @param codeStyle style sheet of highlighted code
 */
export function strictHtml(html: string, codeStyle: string, write: WriteFile): string {
  const style = fingerprinted(codeStyle, 'code', 'css')
  write(style, codeStyle)
  return html
    .replace(/<script(?: id="[^"]*")?>([\s\S]*?)<\/script>/g, (_tag, code: string) => {
      const file = fingerprinted(code, 'inline', 'js')
      write(file, code)
      return `<script src="${BASE}${file}"></script>`
    })
    .replace('</head>', `<link rel="stylesheet" href="${BASE}${style}"></head>`)
    .replace(/(<[a-z][^<>]*?) style="[^"]*"/g, '$1')
}

/** The page without the application: it works without scripts, and the server fills in its marks. */
export const withoutApplication = (html: string): string =>
  html.replace(/<script type="module"[^>]*><\/script>/g, '').replace(/<link rel="modulepreload"[^>]*>/g, '')
