import { STATUS_CODES } from 'node:http'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import type { Call, Document, Example, Header, Parameter, Response, Schema } from '../openapi/model.js'
import { anchorOf } from './anchors.js'
import { callTabs, type SampledCall, tabs } from './call-samples.js'
import { fieldsOf } from './fields.js'

/** A page of the reference. */
export interface ReferencePage {
  /** Name of the file, without `.md`. */
  name: string
  title: string
  markdown: string
}

const FORM = 'application/x-www-form-urlencoded'
const PROPERTY_ID = '$PROPERTY_ID'
const FIRST_REFUSAL = 400

/** The description, whose references are followed. */
class Description {
  constructor(readonly document: Document) {}

  follow<T extends object>(part: T | Schema): T {
    const ref = (part as Schema).$ref
    if (ref === undefined) return part as T
    const [, , kind, name] = ref.split('/') as [string, string, keyof Document['components'], string]
    return this.document.components[kind][name] as T
  }

  parametersOf(call: Pick<Call, 'parameters'>): Parameter[] {
    return call.parameters.map((parameter) => this.follow<Parameter>(parameter))
  }
}

/** Text of the description in Markdown for Vue: escapes everything that looks like a tag. */
const plain = (text: string): string =>
  text.replace(/(`[^`]*`)|[<>{}]/g, (found, code) => code ?? `&#${found.charCodeAt(0)};`)

const cell = (text: string): string =>
  plain(text)
    .replaceAll('|', '\\|')
    .replace(/\s*\n\s*/g, ' ')

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

const json = (value: unknown): string => JSON.stringify(value, null, 2)

function examples(given: Record<string, Example>): string {
  const all = Object.values(given)
  if (all.length === 1) return `\`\`\`json\n${json(all[0]!.value)}\n\`\`\``
  return tabs(all.map(({ summary, value }) => ({ title: summary, name: 'json', code: json(value) })))
}

const withExample = (text: string, { name, example }: Parameter): string => text.replace(`{${name}}`, String(example))

/** The first example of the body. */
function sampledBody({ requestBody }: Call): Pick<SampledCall, 'body' | 'contentType'> {
  const [contentType, content] = Object.entries(requestBody?.content ?? {})[0] ?? ['', undefined]
  const [example] = Object.values(content?.examples ?? {})
  if (!example) return { body: null, contentType }
  return { body: contentType === FORM ? formOf(example.value) : json(example.value), contentType }
}

/** The call with the values of its examples; the property is the reader's own. */
function sampled(description: Description, method: string, path: string, call: Call): SampledCall {
  const parameters = description.parametersOf(call)
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  const isOfProperty = path.startsWith('/properties/{id}')
  const target = isOfProperty ? path.replace('{id}', PROPERTY_ID) : inPath.reduce(withExample, path)
  return {
    method: method.toUpperCase(),
    path: target,
    query: query
      .map(({ name, example }) => `${name}=${name === 'property_id' ? PROPERTY_ID : String(example)}`)
      .join('&'),
    ...sampledBody(call),
    isSigned: call.security === undefined,
  }
}

const formOf = (value: unknown): string => new URLSearchParams(value as Record<string, string>).toString()

function parameterTable(parameters: readonly Parameter[]): string[] {
  if (parameters.length === 0) return []
  const rows = parameters.map(({ name, in: place, required, description, example }) => [
    `\`${name}\``,
    `${place}${required ? ', required' : ''}`,
    `${cell(description)} Example: \`${String(example)}\``,
  ])
  return ['### Parameters', table(['name', 'in', 'meaning'], rows)]
}

function fieldTable(schema: Schema, { document }: Description): string[] {
  const rows = fieldsOf(schema, document.components.schemas).map(({ path, type, isRequired, description }) => [
    `\`${path}\``,
    `${cell(type)}${isRequired ? '' : ', optional'}`,
    cell(description),
  ])
  return rows.length === 0 ? [] : [table(['field', 'type', 'meaning'], rows)]
}

function bodySection({ requestBody }: Call, description: Description): string[] {
  if (!requestBody) return []
  const content = Object.values(requestBody.content)[0]!
  return ['### Body', plain(requestBody.description), ...fieldTable(content.schema, description)]
}

function answerSection(status: string, response: Response, description: Description): string[] {
  const content = Object.values(response.content ?? {})[0]
  const own = Object.entries(response.headers ?? {}).filter(([name]) =>
    /^(Service-|ETag|Preference|Idempotent)/.test(name),
  )
  const headers = own.map(([name, header]) => `\`${name}\`: ${plain(description.follow<Header>(header).description)}`)
  return [
    `### ${status} ${STATUS_CODES[status]}`,
    plain(response.description),
    ...(content?.examples ? [examples(content.examples)] : []),
    ...(content ? fieldTable(content.schema, description) : []),
    ...(headers.length > 0 ? [headers.map((header) => `- ${header}`).join('\n')] : []),
  ]
}

function refusalTable(refusals: readonly [string, Response][]): string[] {
  const rows = refusals.map(([status, response]) => [
    `[${status}](/errors#${anchorOf(`${status} ${STATUS_CODES[status]}`)})`,
    (response['x-error-codes'] ?? []).map((code) => `\`${code}\``).join(', '),
  ])
  return ['### Refusals', table(['status', 'codes'], rows)]
}

function callSection(description: Description, method: string, path: string, call: Call): string {
  const answers = Object.entries(call.responses).map(([status, response]): [string, Response] => [
    status,
    description.follow<Response>(response),
  ])
  const isRefusal = ([status]: [string, Response]): boolean => Number(status) >= FIRST_REFUSAL
  return [
    `## ${call.summary} {#${call.operationId}}`,
    `\`${method.toUpperCase()} ${BASE_PATH}${path}\``,
    plain(call.description),
    callTabs(sampled(description, method, path, call)),
    ...parameterTable(description.parametersOf(call)),
    ...bodySection(call, description),
    ...answers
      .filter((answer) => !isRefusal(answer))
      .flatMap(([status, found]) => answerSection(status, found, description)),
    ...refusalTable(answers.filter(isRefusal)),
  ].join('\n\n')
}

/** Requests that the service sends to the partner. */
function webhookSection(description: Description, name: string, post: Omit<Call, 'operationId'>): string {
  const content = Object.values(post.requestBody?.content ?? {})[0]
  return [
    `## ${post.summary} {#${name}}`,
    plain(post.description),
    ...parameterTable(description.parametersOf(post)),
    ...(content ? ['### Body', ...fieldTable(content.schema, description)] : []),
    ...(content?.examples ? [examples(content.examples)] : []),
  ].join('\n\n')
}

const pageNameOf = (tag: string): string => anchorOf(tag)

const PREAMBLE =
  'The samples continue the programs of [Signing requests](/signing#in-your-language), whose functions they use; `signed` of ' +
  'the curl samples is the function of the [quick start](/quick-start#1-a-function-that-signs). Replace the example ids by yours.'

function tagPage(description: Description, tag: Document['tags'][number]): ReferencePage {
  const { paths, 'x-webhooks': webhooks } = description.document
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, call]) => call.tags.includes(tag.name))
      .map(([method, call]) => callSection(description, method, path, call)),
  )
  const sent = Object.entries(webhooks)
    .filter(([, { post }]) => post.tags?.includes(tag.name))
    .map(([name, { post }]) => webhookSection(description, name, post))
  const head = ['---', 'outline: 2', '---', '', `# ${tag.name}`, '', plain(tag.description), '', PREAMBLE].join('\n')
  return { name: pageNameOf(tag.name), title: tag.name, markdown: `${[head, ...calls, ...sent].join('\n\n')}\n` }
}

function startPage({ document }: Description): ReferencePage {
  const rows = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { tags, summary, operationId }]) => [
      `\`${method.toUpperCase()} ${path}\``,
      `[${summary}](/reference/${pageNameOf(tags[0]!)}#${operationId})`,
    ]),
  )
  const { description } = document.info
  const forPrograms = `For programs: <a href="/docs/openapi.json" target="_self">openapi.json</a>, the same in OpenAPI ${document.openapi}.`
  const markdown = ['# All calls', plain(description), table(['call', 'does'], rows), forPrograms].join('\n\n')
  return { name: 'index', title: 'All calls', markdown: `${markdown}\n` }
}

/** Pages of the reference, made from the description: one of all calls, and one for each of its chapters. */
export function referencePages(document: Document): ReferencePage[] {
  const description = new Description(document)
  return [startPage(description), ...document.tags.map((tag) => tagPage(description, tag))]
}
