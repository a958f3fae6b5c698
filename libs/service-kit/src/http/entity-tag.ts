const opaque = (tag: string): string => tag.trim().replace(/^W\//, '')

/** Whether an If-None-Match header holds the tag (weak comparison, RFC 9110 §13.1.2). */
export const matchesTag = (header: string | undefined, tag: string): boolean =>
  header !== undefined && (header.trim() === '*' || header.split(',').some((part) => opaque(part) === opaque(tag)))
