/** A message as a batch consumer gets it. */
interface Message {
  offset: bigint
  key: Buffer | null
  value: Buffer
}

/** Messages of one partition, in order. */
export const messages = (values: readonly (string | Buffer)[], firstOffset = 0n): Message[] =>
  values.map((value, index) => ({
    offset: firstOffset + BigInt(index),
    key: Buffer.from('key'),
    value: Buffer.from(value as string),
  }))
