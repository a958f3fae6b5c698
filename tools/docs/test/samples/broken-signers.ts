import type { SignatureHint } from '@connectivity/contracts/signature-hints'

/** A mistake in a sample: a text of its signing function, and the replacement. */
type Breakage = readonly [find: string, replace: string]

/** Mistakes in the signing function; the others are in its arguments. */
export type CodeMistake = Exclude<SignatureHint, 'query_was_signed' | 'secret_ended'>

const BASE = '/api/connectivity/v1'

/** By language of the guide's sample. Bodies are serialised by the language's own library where it has one. */
export const breakages: Record<string, Record<CodeMistake, Breakage>> = {
  js: {
    base_path_missing: ['path, timestamp, bodyHash', `path.replace('${BASE}', ''), timestamp, bodyHash`],
    path_coding: ['path, timestamp, bodyHash', 'decodeURIComponent(path), timestamp, bodyHash'],
    trailing_slash: ['path, timestamp, bodyHash', "path + '/', timestamp, bodyHash"],
    method_case: ['[method,', '[method.toLowerCase(),'],
    hash_upper_case: ["update(body).digest('hex')", "update(body).digest('hex').toUpperCase()"],
    hash_base64: ["update(body).digest('hex')", "update(body).digest('base64')"],
    hash_of_empty_body: ['update(body)', "update('')"],
    body_instead_of_hash: ['timestamp, bodyHash]', 'timestamp, body]'],
    body_reserialised: ['update(body)', 'update(JSON.stringify(JSON.parse(body)))'],
    line_order: ['path, timestamp, bodyHash', 'timestamp, path, bodyHash'],
    crlf: ["join('\\n')", "join('\\r\\n')"],
    trailing_newline: ["join('\\n')", "join('\\n') + '\\n'"],
    timestamp_milliseconds: ['path, timestamp, bodyHash', "path, timestamp + '000', bodyHash"],
    secret_whitespace: ["'sha256', secret", "'sha256', secret + '\\n'"],
    secret_decoded: ["'sha256', secret", "'sha256', Buffer.from(secret, 'base64url')"],
  },
  python: {
    base_path_missing: ['path, timestamp, body_hash', `path.removeprefix("${BASE}"), timestamp, body_hash`],
    path_coding: ['path, timestamp, body_hash', 'urllib.parse.quote(path), timestamp, body_hash'],
    trailing_slash: ['path, timestamp, body_hash', 'path + "/", timestamp, body_hash'],
    method_case: ['[method,', '[method.lower(),'],
    hash_upper_case: ['sha256(body).hexdigest()', 'sha256(body).hexdigest().upper()'],
    hash_base64: [
      'sha256(body).hexdigest()',
      'sha256(body).digest(); body_hash = base64.b64encode(body_hash).decode()',
    ],
    hash_of_empty_body: ['sha256(body)', 'sha256(b"")'],
    body_instead_of_hash: ['timestamp, body_hash]', 'timestamp, body.decode()]'],
    body_reserialised: ['sha256(body)', 'sha256(json.dumps(json.loads(body)).encode())'],
    line_order: ['path, timestamp, body_hash', 'timestamp, path, body_hash'],
    crlf: ['"\\n".join', '"\\r\\n".join'],
    trailing_newline: ['text.encode()', '(text + "\\n").encode()'],
    timestamp_milliseconds: ['path, timestamp, body_hash', 'path, timestamp + "000", body_hash'],
    secret_whitespace: ['secret.encode()', '(" " + secret).encode()'],
    secret_decoded: ['secret.encode()', 'base64.urlsafe_b64decode(secret + "=")'],
  },
  php: {
    base_path_missing: ['$path, $timestamp', `substr($path, strlen('${BASE}')), $timestamp`],
    path_coding: ['$path, $timestamp', 'rawurldecode($path), $timestamp'],
    trailing_slash: ['$path, $timestamp', "$path . '/', $timestamp"],
    method_case: ['[$method,', '[strtolower($method),'],
    hash_upper_case: ["hash('sha256', $body)", "strtoupper(hash('sha256', $body))"],
    hash_base64: ["hash('sha256', $body)", "base64_encode(hash('sha256', $body, true))"],
    hash_of_empty_body: ["hash('sha256', $body)", "hash('sha256', '')"],
    body_instead_of_hash: ["hash('sha256', $body)", '$body'],
    body_reserialised: ["hash('sha256', $body)", "hash('sha256', json_encode(json_decode($body)))"],
    line_order: ['$path, $timestamp', '$timestamp, $path'],
    crlf: ['implode("\\n"', 'implode("\\r\\n"'],
    trailing_newline: ['$text, $secret', '$text . "\\n", $secret'],
    timestamp_milliseconds: ['$path, $timestamp', "$path, $timestamp . '000'"],
    secret_whitespace: ['$text, $secret', '$text, $secret . "\\r\\n"'],
    secret_decoded: ['$text, $secret', '$text, base64_decode($secret)'],
  },
  csharp: {
    base_path_missing: ['path, timestamp, Hex', `path.Substring("${BASE}".Length), timestamp, Hex`],
    path_coding: ['path, timestamp, Hex', 'Uri.UnescapeDataString(path), timestamp, Hex'],
    trailing_slash: ['path, timestamp, Hex', 'path + "/", timestamp, Hex'],
    method_case: ['method, path', 'method.ToLowerInvariant(), path'],
    hash_upper_case: ['Hex(sha256.ComputeHash(body))', 'Hex(sha256.ComputeHash(body)).ToUpperInvariant()'],
    hash_base64: ['Hex(sha256.ComputeHash(body))', 'Convert.ToBase64String(sha256.ComputeHash(body))'],
    hash_of_empty_body: ['ComputeHash(body)', 'ComputeHash(new byte[0])'],
    body_instead_of_hash: ['Hex(sha256.ComputeHash(body))', 'Encoding.UTF8.GetString(body)'],
    body_reserialised: [
      'ComputeHash(body)',
      'ComputeHash(System.Text.Json.JsonSerializer.SerializeToUtf8Bytes(System.Text.Json.JsonDocument.Parse(body).RootElement))',
    ],
    line_order: ['path, timestamp, Hex', 'timestamp, path, Hex'],
    crlf: ['Join("\\n"', 'Join("\\r\\n"'],
    trailing_newline: ['GetBytes(text)', 'GetBytes(text + "\\n")'],
    timestamp_milliseconds: ['path, timestamp, Hex', 'path, timestamp + "000", Hex'],
    secret_whitespace: ['GetBytes(secret)', 'GetBytes(secret + "\\n")'],
    secret_decoded: [
      'Encoding.UTF8.GetBytes(secret)',
      "Convert.FromBase64String(secret.Replace('-', '+').Replace('_', '/') + \"=\")",
    ],
  },
  java: {
    base_path_missing: ['path, timestamp, bodyHash', `path.substring("${BASE}".length()), timestamp, bodyHash`],
    path_coding: ['path, timestamp, bodyHash', 'java.net.URLDecoder.decode(path, UTF_8), timestamp, bodyHash'],
    trailing_slash: ['path, timestamp, bodyHash', 'path + "/", timestamp, bodyHash'],
    method_case: ['method, path', 'method.toLowerCase(), path'],
    hash_upper_case: [
      'HexFormat.of().formatHex(MessageDigest',
      'HexFormat.of().withUpperCase().formatHex(MessageDigest',
    ],
    hash_base64: ['HexFormat.of().formatHex(MessageDigest', 'Base64.getEncoder().encodeToString(MessageDigest'],
    hash_of_empty_body: ['digest(body)', 'digest(new byte[0])'],
    body_instead_of_hash: ['timestamp, bodyHash)', 'timestamp, text(body))'],
    // The standard library writes no JSON: pretty text is sent, compact text is signed.
    body_reserialised: ['digest(body)', 'digest(text(body).replace(": ", ":").replace(", ", ",").getBytes(UTF_8))'],
    line_order: ['path, timestamp, bodyHash', 'timestamp, path, bodyHash'],
    crlf: ['join("\\n"', 'join("\\r\\n"'],
    trailing_newline: ['text.getBytes(UTF_8)', '(text + "\\n").getBytes(UTF_8)'],
    timestamp_milliseconds: ['path, timestamp, bodyHash', 'path, timestamp + "000", bodyHash'],
    secret_whitespace: ['secret.getBytes(UTF_8)', '(secret + " ").getBytes(UTF_8)'],
    secret_decoded: ['secret.getBytes(UTF_8)', 'Base64.getUrlDecoder().decode(secret)'],
  },
}

/** The function with a mistake. */
export function broken(signer: string, [find, replace]: Breakage): string {
  if (!signer.includes(find)) throw new Error(`the sample has no ${find}`)
  return signer.replace(find, () => replace)
}
