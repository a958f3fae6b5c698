import markdownIt from 'markdown-it'

type Renderer = ReturnType<typeof markdownIt>

/** Anchor of a heading, as repositories' viewers make it, so that links work in both places. */
const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')

/** Links between the files of the repository as addresses of the site. */
function siteAddress(href: string): string {
  if (href === '../openapi.json') return '/docs/openapi.json'
  const [, name, anchor = ''] = /^([a-z-]+)\.md(#.*)?$/.exec(href) ?? []
  if (name === undefined) return href
  return (name === 'index' ? '/docs' : `/docs/${name}`) + anchor
}

function anchorHeadings(md: Renderer): void {
  md.renderer.rules.heading_open = (tokens, index, options, _env, self) => {
    const level = tokens[index]!.tag
    if (level !== 'h1') tokens[index]!.attrSet('id', slugOf(tokens[index + 1]!.content.replaceAll('`', '')))
    return self.renderToken(tokens, index, options)
  }
}

function rewriteLinks(md: Renderer): void {
  md.renderer.rules.link_open = (tokens, index, options, _env, self) => {
    const href = String(tokens[index]!.attrGet('href') ?? '')
    tokens[index]!.attrSet('href', siteAddress(href))
    return self.renderToken(tokens, index, options)
  }
}

/** Wide tables scroll by themselves. */
function frameTables(md: Renderer): void {
  md.renderer.rules.table_open = () => '<div class="table"><table>'
  md.renderer.rules.table_close = () => '</table></div>'
}

/** HTML is allowed, because the texts are our own: their HTML comments are kept. */
const md = markdownIt({ html: true })
for (const plugin of [anchorHeadings, rewriteLinks, frameTables]) plugin(md)

/** Markdown as HTML of the site. */
export const rendered = (markdown: string): string => md.render(markdown)
