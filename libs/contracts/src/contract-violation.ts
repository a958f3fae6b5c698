/** A message that breaks its contract. It is never retried: the bytes will not get better. */
export class ContractViolation extends Error {
  /**
   * @param pointer JSON pointer to the offending value, `''` for the whole message
   * @param problem what is wrong with it, for the operator who reads the dead letter
   */
  constructor(
    readonly pointer: string,
    readonly problem: string,
  ) {
    super(`${pointer === '' ? 'message' : pointer} ${problem}`)
    this.name = 'ContractViolation'
  }
}
