/** Amounts by name, such as bytes of an application; names without any are forgotten. */
export class Counts {
  private readonly amounts = new Map<string, number>()
  private sum = 0

  /** Amount of all names together. */
  get all(): number {
    return this.sum
  }

  /** The amount of a name; 0 when nothing was added. */
  of(name: string): number {
    return this.amounts.get(name) ?? 0
  }

  /** @param amount a negative one takes back */
  add(name: string, amount: number): void {
    const now = this.of(name) + amount
    this.sum += amount
    if (now > 0) this.amounts.set(name, now)
    else this.amounts.delete(name)
  }
}
