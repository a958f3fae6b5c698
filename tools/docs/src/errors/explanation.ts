/** Explanation of a code for a partner's developer. */
export interface Explained {
  meaning: string
  cause: string
  action: string
}
