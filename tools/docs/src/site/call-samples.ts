import { BASE_PATH } from '@connectivity/contracts/partner-api'

/** A call as samples make it. `$PROPERTY_ID` in the path or the query stands for the variable of that name. */
export interface SampledCall {
  method: string
  /** Below the base path. */
  path: string
  /** Without `?`; empty without parameters. */
  query: string
  /** Text of the body; null without one. */
  body: string | null
  /** Content type of the body. */
  contentType: string
  /** False for the call that obtains a token. */
  isSigned: boolean
}

/** A language of the samples. The sample continues the program of the guide to signing: it uses its functions. */
export interface SampleLanguage {
  /** Title of the tab. */
  title: string
  /** Language name of the code block. */
  name: string
  sample: (call: SampledCall) => string
}

const VARIABLE = '$PROPERTY_ID'
const isChange = ({ method, isSigned }: SampledCall): boolean => method !== 'GET' && isSigned
const queryOf = ({ query }: SampledCall): string => (query === '' ? '' : `?${query}`)
const targetOf = (call: SampledCall): string => BASE_PATH + call.path + queryOf(call)
const orNothing = (isGiven: boolean, text: string): string => (isGiven ? text : '')
const lines = (...given: (string | false)[]): string => given.filter((line) => line !== false).join('\n')

/** `before$PROPERTY_IDafter` as an expression that joins texts in `quote`s and the variable. */
const joined = (text: string, variable: string, operator: string, quote = '"'): string =>
  text
    .split(VARIABLE)
    .flatMap((part, index) => [...(index > 0 ? [variable] : []), ...(part === '' ? [] : [quote + part + quote])])
    .join(` ${operator} `)

function curl(call: SampledCall): string {
  const { method, path, body, isSigned } = call
  const target = path + queryOf(call)
  const quoted = target.includes('$') ? `"${target}"` : target.includes('?') ? `'${target}'` : target
  if (!isSigned) return `curl -sS "$BASE_URL${BASE_PATH}${target}" -d '${body ?? ''}'`
  const given = body === null ? (isChange(call) ? " ''" : '') : ` '${body.replaceAll("'", "'\\''")}'`
  return `signed ${method} ${quoted}${given}${isChange(call) ? ' -H "Idempotency-Key: $(openssl rand -hex 16)"' : ''}`
}

function node(call: SampledCall): string {
  const { method, body, contentType, isSigned } = call
  const template = (text: string): string =>
    text.includes(VARIABLE) ? `\`${text.replaceAll(VARIABLE, '${PROPERTY_ID}')}\`` : `'${text}'`
  const url = `\`\${BASE_URL}\${path}${queryOf(call).replaceAll(VARIABLE, '${PROPERTY_ID}')}\``
  const signature = `signatureHeaders('${method}', path${body === null ? '' : ', body'})`
  const path = `const path = ${template(BASE_PATH + call.path)}`
  const print = 'console.log(answer.status, await answer.text())'
  if (method === 'GET')
    return lines(path, `const answer = await fetch(${url}, {`, `  headers: ${signature},`, '})', print)
  return lines(
    path,
    body !== null && `const body = \`${body.replace(/[\\`$]/g, '\\$&')}\``,
    `const answer = await fetch(${url}, {`,
    `  method: '${method}',`,
    '  headers: {',
    isSigned && `    ...${signature},`,
    isSigned && "    'Idempotency-Key': crypto.randomUUID(),",
    body !== null && `    'Content-Type': '${contentType}',`,
    '  },',
    body !== null && '  body,',
    '})',
    print,
  )
}

function python(call: SampledCall): string {
  const { method, body, contentType, isSigned } = call
  const text = (value: string): string =>
    value.includes(VARIABLE) ? `f"${value.replaceAll(VARIABLE, '{PROPERTY_ID}')}"` : `"${value}"`
  const signature = `signature_headers("${method}", path${body === null ? '' : ', body'})`
  const url = `f"{BASE_URL}{path}${queryOf(call).replaceAll(VARIABLE, '{PROPERTY_ID}')}"`
  return lines(
    `path = ${text(BASE_PATH + call.path)}`,
    body !== null && `body = r'''${body}'''.encode()`,
    `headers = ${isSigned ? signature : '{}'}`,
    isChange(call) && 'headers["Idempotency-Key"] = str(uuid.uuid4())',
    body !== null && `headers["Content-Type"] = "${contentType}"`,
    `request = urllib.request.Request(${url}, ${body === null ? '' : 'data=body, '}headers=headers, method="${method}")`,
    'try:',
    '    answer = urllib.request.urlopen(request)',
    'except urllib.error.HTTPError as refusal:',
    '    answer = refusal',
    'print(answer.status, answer.read().decode())',
  )
}

function php(call: SampledCall): string {
  const { method, body, contentType, isSigned } = call
  const text = (value: string): string => joined(value, "getenv('PROPERTY_ID')", '.', "'")
  const hasBody = body !== null
  const signature = `signatureHeaders('${method}', $path${orNothing(hasBody, ', $body')})`
  const content = orNothing(hasBody, ", 'content' => $body")
  return lines(
    `$path = ${text(BASE_PATH + call.path)};`,
    call.query !== '' && `$query = ${text(queryOf(call))};`,
    hasBody && `$body = <<<'BODY'\n${body}\nBODY;`,
    `$headers = ${isSigned ? signature : '[]'};`,
    isChange(call) && "$headers[] = 'Idempotency-Key: ' . bin2hex(random_bytes(16));",
    hasBody && `$headers[] = 'Content-Type: ${contentType}';`,
    `$request = ['method' => '${method}', 'header' => $headers${content}, 'ignore_errors' => true];`,
    `$url = getenv('BASE_URL') . $path${orNothing(call.query !== '', ' . $query')};`,
    "$answer = file_get_contents($url, false, stream_context_create(['http' => $request]));",
    "echo explode(' ', $http_response_header[0])[1], ' ', $answer, \"\\n\";",
  )
}

function csharp(call: SampledCall): string {
  const { method, body, contentType, isSigned } = call
  const verb = method.charAt(0) + method.slice(1).toLowerCase()
  const content = `new StringContent(body, Encoding.UTF8, "${contentType}")`
  const made = isSigned
    ? `Signed(HttpMethod.${verb}, target, ${body === null ? 'new byte[0]' : 'Encoding.UTF8.GetBytes(body)'})`
    : `new HttpRequestMessage(HttpMethod.${verb}, Env("BASE_URL") + target) { Content = ${content} }`
  return lines(
    `var target = ${joined(targetOf(call), 'Env("PROPERTY_ID")', '+')};`,
    body !== null && `var body = @"${body.replaceAll('"', '""')}";`,
    `var request = ${made};`,
    isChange(call) && 'request.Headers.Add("Idempotency-Key", Guid.NewGuid().ToString());',
    'var answer = await new HttpClient().SendAsync(request);',
    'Console.WriteLine($"{(int)answer.StatusCode} {await answer.Content.ReadAsStringAsync()}");',
  )
}

/** The body as a raw string literal, whose lines are indented like its end. */
const rawText = (body: string, indent: string): string =>
  ['"""', ...body.split('\n'), '"""'].map((line, index) => (index === 0 ? line : indent + line)).join('\n')

function java(call: SampledCall): string {
  const { method, body, contentType, isSigned } = call
  const bytes = body === null ? 'new byte[0]' : 'body.getBytes(UTF_8)'
  const start = isSigned
    ? `signed("${method}", target, ${bytes})`
    : 'HttpRequest.newBuilder(URI.create(System.getenv("BASE_URL") + target))'
  const headers = [
    isChange(call) && '    .header("Idempotency-Key", java.util.UUID.randomUUID().toString())',
    body !== null && `    .header("Content-Type", "${contentType}")`,
    !isSigned && `    .${method}(HttpRequest.BodyPublishers.ofString(body))`,
  ].filter((line) => line !== false)
  return lines(
    `String target = ${joined(targetOf(call), 'System.getenv("PROPERTY_ID")', '+')};`,
    body !== null && `String body = ${rawText(body.replaceAll('\\', '\\\\'), '    ')};`,
    headers.length === 0
      ? `HttpRequest request = ${start}.build();`
      : [`HttpRequest request = ${start}`, ...headers, '    .build();'].join('\n'),
    'HttpResponse<String> answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());',
    'System.out.println(answer.statusCode() + " " + answer.body());',
  )
}

/** Every language of the samples, in the order of the tabs. */
export const sampleLanguages: readonly SampleLanguage[] = [
  { title: 'curl', name: 'sh', sample: curl },
  { title: 'Python', name: 'python', sample: python },
  { title: 'PHP', name: 'php', sample: php },
  { title: 'Node', name: 'js', sample: node },
  { title: 'Java', name: 'java', sample: java },
  { title: 'C#', name: 'csharp', sample: csharp },
]

const fenced = (title: string, name: string, code: string): string => `\`\`\`${name} [${title}]\n${code}\n\`\`\``

/** Tabs of blocks of code, as VitePress writes them. */
export const tabs = (blocks: readonly { title: string; name: string; code: string }[]): string =>
  ['::: code-group', ...blocks.map(({ title, name, code }) => fenced(title, name, code)), ':::'].join('\n\n')

/** The call in every language. */
export const callTabs = (call: SampledCall): string =>
  tabs(sampleLanguages.map(({ title, name, sample }) => ({ title, name, code: sample(call) })))
