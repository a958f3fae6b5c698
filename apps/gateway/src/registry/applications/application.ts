/** States of an application. */
export type ApplicationState = 'pending' | 'approved' | 'suspended'

/** pending → approved ⇄ suspended. */
const moves: Record<ApplicationState, readonly ApplicationState[]> = {
  pending: ['approved'],
  approved: ['suspended'],
  suspended: ['approved'],
}

/** States that an application may go to. */
export const nextStates = (from: ApplicationState): readonly ApplicationState[] => moves[from]

/** Whether an application may go from one state to the other. */
export const mayMove = (from: ApplicationState, to: ApplicationState): boolean => moves[from].includes(to)
