/** Attempts that are kept of an event, the newest: replays add to the 15 of each round without end. */
export const MOST_ATTEMPTS = 100
