import { callTabs, type SampledCall, tabs } from './call-samples.js'

/** Links to the description. On the site they lead to the reference, for which the browser has to ask the server. */
const DESCRIPTION = /\[([^\]]*)\]\(\.\.\/openapi\.json\)/g

/** A block that holds nothing but one signed call without a body. */
const ONE_CALL = /^```sh\nsigned (GET|DELETE) "?(\/[^\s"?]*)\??([^\s"]*)"?\n```$/gm

/** Headings of languages, each above one block of code. */
const LANGUAGE = /### (.+)\n\n```(\w+)\n([\s\S]*?)\n```\n*/g
const LANGUAGES = new RegExp(`(?:${LANGUAGE.source}){2,}`, 'g')

const withTabsOfCalls = (markdown: string): string =>
  markdown.replace(ONE_CALL, (_block, method: string, path: string, query: string) => {
    const call: SampledCall = { method, path, query, body: null, contentType: '', isSigned: true }
    return callTabs(call)
  })

const withTabsOfLanguages = (markdown: string): string =>
  markdown.replace(LANGUAGES, (section) => {
    const blocks = [...section.matchAll(LANGUAGE)].map(([, title, name, code]) => ({
      title: title!.replace('\\', ''),
      name: name!,
      code: code!,
    }))
    return `${tabs(blocks)}\n\n`
  })

const withReference = (markdown: string): string =>
  markdown.replace(DESCRIPTION, '<a href="/docs/reference/" target="_self">$1</a>')

/** Links between guides. The first page is served at `/docs` too, where relative ones would lead elsewhere. */
const GUIDE = /\]\((?=[\w-]+\.md\b)/g

/** A guide of the repository as a page of the site: calls and programs in tabs, links to addresses of the site. */
export const guidePage = (markdown: string): string =>
  withReference(withTabsOfLanguages(withTabsOfCalls(markdown))).replace(GUIDE, '](/')

/** A guide of the repository as Markdown of the site. */
export const guideText = (markdown: string): string =>
  markdown.replaceAll('](../openapi.json)', '](/docs/openapi.json)')
