export { addressedConnection, askedConnection } from './addressed-connection.js'
export { operatorOf, partnerOf } from './callers.js'
export {
  type IdentifiedRequest,
  IDENTITY_LIFETIME,
  identityHeaders,
  verifyIdentity,
  wholeIdentityHeaders,
} from './identity-token.js'
export { requireIdentity } from './identity.hook.js'
export { rolesFor } from './needed-rights.js'
export { isProven, proveOperatorChange } from './operator-change-proof.js'
