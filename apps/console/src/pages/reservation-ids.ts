/** The ids of a text with one id per line. Ids are verbatim: spaces and commas are part of them. */
export const reservationIdsOf = (text: string): string[] => text.split(/\r?\n/).filter((id) => id !== '')
