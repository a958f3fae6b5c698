/** A message that breaks its contract. It is never retried: the same bytes fail again. */
export class ContractViolation extends Error {
  /**
   * @param pointer JSON pointer to the offending value, `''` for the whole message
   * @param problem explanation for the operator who reads the dead letter
   */
  constructor(
    readonly pointer: string,
    readonly problem: string,
  ) {
    super(`${pointer === '' ? 'message' : pointer} ${problem}`)
    this.name = 'ContractViolation'
  }
}
