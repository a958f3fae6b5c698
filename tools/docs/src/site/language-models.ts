import { guideText } from './guides.js'
import { chapters } from './pages.js'

/** The first paragraph of a guide, as one line. */
const about = (markdown: string): string =>
  (markdown.split('\n\n').find((block) => !block.startsWith('#')) ?? '').replaceAll('\n', ' ')

/**
 * llms.txt: the list of pages for language models (llmstxt.org).
 * @param read returns the text of a guide
 */
export function languageModelsIndex(read: (name: string) => string): string {
  const sections = chapters.map(({ title, pages }) => {
    const lines = pages.map(({ name, title: page }) => `- [${page}](/docs/${name}.md): ${about(guideText(read(name)))}`)
    return [`## ${title}`, '', ...lines].join('\n')
  })
  const head = [
    '# Partner connectivity',
    '',
    '> The interface between property management systems or channel managers and our hotels: pull reservations, map rooms and rate plans, write availability and rates, and get reservation events as signed callbacks.',
  ].join('\n')
  const further = [
    '## Further',
    '',
    '- [Golden vectors](/docs/vectors.json): signed requests and callbacks for the tests of your program',
    '- [Pull client](/docs/samples/pull-client/pull-client.mjs): the whole side of a partner that polls, in Node',
    '- [Receiver](/docs/samples/receiver/receiver.mjs): the whole side of a partner that receives events, in Node',
    '- [OpenAPI](/docs/openapi.json): every call; needs a session of /docs/sign-in',
  ].join('\n')
  return `${[head, ...sections, further].join('\n\n')}\n`
}
