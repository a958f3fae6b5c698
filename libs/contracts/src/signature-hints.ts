/** Mistakes in signing that a refusal names, each with its remedy in one sentence. */
export const signatureHints = {
  query_was_signed: 'The signature covers the query; sign the path only, up to the "?".',
  base_path_missing: 'The signature covers the path without /api/connectivity/v1; sign the whole path as sent.',
  path_coding:
    'The signature covers the path in another percent-encoding; sign the path with exactly the characters that are sent.',
  trailing_slash: 'The signature covers the path with one slash more or less at its end; sign the path as sent.',
  method_case: 'The signature covers the method in another case; sign it in upper case.',
  hash_upper_case: 'The signature covers the hash of the body in upper-case hex; write it in lower case.',
  hash_base64: 'The signature covers the hash of the body in base64; write it in lower-case hex.',
  hash_of_empty_body: 'The signature covers the hash of an empty body; hash the bytes of the body that is sent.',
  body_instead_of_hash: 'The signature covers the body itself; sign its SHA-256 in lower-case hex.',
  body_reserialised:
    'The signature covers the same JSON written in another way; build the body once, then hash and send the same bytes.',
  line_order:
    'The signature covers the four lines in another order; sign method, path, timestamp and hash of the body, in this order.',
  crlf: 'The signature covers lines that end in CR LF; join the four lines with LF alone.',
  trailing_newline: 'The signature covers a line feed after the fourth line; end the text with the hash.',
  timestamp_milliseconds:
    'The signature covers the timestamp in milliseconds; sign the text of X-Service-Timestamp, which is in seconds.',
  secret_whitespace:
    'The secret was used with white space around it; trim it, for example the line feed at the end of a file.',
  secret_decoded: 'The secret was decoded from base64; use the UTF-8 bytes of its text as the key, as issued.',
  secret_ended: 'The secret is the one that the last rotation ended; sign with the current one.',
} as const

/** The one mistake that explains why a signature does not match. */
export type SignatureHint = keyof typeof signatureHints
