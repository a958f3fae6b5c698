import { chapters, type Page, REFERENCE } from './pages.js'

const TITLE = 'Partner connectivity'

const addressOf = ({ name }: Page): string => (name === 'index' ? '/docs' : `/docs/${name}`)

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

const entry = (page: Page, current: Page): string =>
  `<li><a href="${addressOf(page)}"${page.name === current.name ? ' aria-current="page"' : ''}>${escaped(page.title)}</a></li>`

function menu(current: Page): string {
  const withReference = chapters.map(({ title, pages }, index) => ({
    title,
    pages: index === chapters.length - 1 ? [REFERENCE, ...pages] : pages,
  }))
  return withReference
    .map(
      ({ title, pages }) => `<h2>${escaped(title)}</h2><ul>${pages.map((page) => entry(page, current)).join('')}</ul>`,
    )
    .join('')
}

const document = (page: Page, head: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(page.title)} · ${TITLE}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/style.css">
${head}</head>
${body}
</html>
`

/** A page of text with the menu beside it, on narrow screens above it, folded. */
export const textPage = (page: Page, content: string): string =>
  document(
    page,
    '',
    `<body>
<header><a href="/docs">${TITLE}</a></header>
<div class="columns">
<nav aria-label="Documentation"><details open><summary>Menu</summary>${menu(page)}</details></nav>
<main>${content}</main>
</div>
<script src="/docs/menu.js"></script>
</body>`,
  )

/** The page on which Redoc draws the reference. */
export const referencePage = (): string =>
  document(
    REFERENCE,
    '',
    `<body class="reference">
<header><a href="/docs">${TITLE}</a></header>
<div id="reference"><noscript>The reference is drawn by a script. Without scripts read <a href="/docs/openapi.json">openapi.json</a>.</noscript></div>
<script src="/docs/redoc.standalone.js"></script>
<script src="/docs/reference.js"></script>
</body>`,
  )
