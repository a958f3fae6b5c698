// Kinds of flags that several nouns have.

/** The id in a path. */
export const idOf = (of, value) => ({ id: { value, says: `the ${of}`, needed: true } })

/** One of a few words. */
export const choice = (oneOf, says, more) => ({ value: oneOf.join('|'), oneOf, says, ...more })
