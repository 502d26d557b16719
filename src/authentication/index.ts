/**
 * The check of a request: who sends it.
 *
 * A token (JWT) is checked in two steps: form, header and claims by this module, then the signature by the library `jose`. The
 * keys of the issuer are read from a file or over HTTPS, and read again at intervals. Everything ambient is injected.
 *
 * Start with token/verifier.ts.
 */

export { KeySet, keySetBytesMax, parseKeys, RefusedKeySet } from './token/key-set.ts';
export { KeySource, type KeySourceEvent, keySourceOf, urlIntervalMs } from './token/key-source.ts';
export { type Fetch, type KeyOrigin, loadKeysFrom } from './token/load-keys.ts';
export {
  type TokenAlgorithm,
  type TokenFault,
  type TokenProfile,
  type TokenRules,
  tokenAlgorithms,
} from './token/rules.ts';
export { type IssuerKeys, type RunVerification, TokenVerifier } from './token/verifier.ts';
