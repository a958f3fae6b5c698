export { decimalsOf } from './currencies.js'
export { isId, newId } from './ids.js'
export { isThisMachine, plainUrlCaution } from './plain-text.js'
export { CURSOR_KEYS, SealedCursors } from './sealed-cursors.js'
