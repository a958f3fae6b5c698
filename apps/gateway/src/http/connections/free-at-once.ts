/**
 * Frees the memory of a buffer at once; it must not be read afterwards. Left to the garbage collector, such buffers add
 * up to 64 MiB, for which it then marks the whole heap: under a load of long bodies that took a quarter of a processor.
 */
export function freeAtOnce({ buffer, byteLength }: Buffer): void {
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
  if (isWhole && byteLength > 0) buffer.transfer(0)
}

/**
 * Frees the memory of a chunk and of what came before it in the same read, such as the head of an answer; neither must
 * be read afterwards. A chunk that is followed by something is left, and so is one that may come from Node's pool of
 * buffers, which gives away at most half of its memory at a time.
 */
export function freeWithBeginning({ buffer, byteOffset, byteLength }: Buffer): void {
  const isLast = byteOffset + byteLength === buffer.byteLength
  const isPooled = byteLength * 2 <= buffer.byteLength
  if (buffer instanceof ArrayBuffer && isLast && !isPooled) buffer.transfer(0)
}
