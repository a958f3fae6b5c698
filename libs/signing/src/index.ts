export {
  callbackKeyOf,
  callbackSecretText,
  callbackSignatureHeaders,
  newCallbackKey,
  verifyCallback,
} from './callback-signature.js'
export {
  bodyHash,
  type CanonicalRequest,
  canonicalText,
  EMPTY_BODY_HASH,
  isSignature,
  signRequest,
  verifyRequest,
} from './canonical-request.js'
export { hmacSha256, isSameDigest } from './hmac.js'
