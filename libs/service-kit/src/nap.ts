/** A sleep that can be cut short, one at a time. */
export class Nap {
  private end: () => void = () => undefined

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds)
      this.end = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Ends the present sleep; without one it does nothing. */
  wake(): void {
    this.end()
  }
}
