/**
 * Frees the memory of a buffer that nobody reads any more. The garbage collector would let 64 MiB of them accumulate and
 * then mark the whole heap for them: under a load of long bodies that cost a quarter of a processor.
 */
export function freeAtOnce({ buffer, byteLength }: Buffer): void {
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
  if (isWhole && byteLength > 0) buffer.transfer(0)
}
