/**
 * The check of a request: who sends it.
 *
 * A token (JWT) is checked in two steps: form, header and claims by this module, then the signature by the library `jose`. The
 * keys of the issuer are read from a file or over HTTPS, and read again at intervals. Everything ambient is injected.
 *
 * The audit log records failures, changes and programs.
 *
 * Start with request/request-check.ts and token/verifier.ts.
 */

export {
  type AuditedChangeName,
  type AuditedOutcome,
  type AuditLevel,
  auditedPrincipal,
  auditLevels,
} from './audit/audit-event.ts';
export { AuditLog, type AuditTarget } from './audit/audit-log.ts';
export { type AuditFiles, type AuditHandle, RotatingFile } from './audit/rotating-file.ts';
export { blocksOf } from './request/address-blocks.ts';
export { AddressLimits } from './request/address-limits.ts';
export { CredentialCache } from './request/credential-cache.ts';
export { PrincipalRates } from './request/principal-rates.ts';
export { challengeOf } from './request/refusal.ts';
export { type RefusedRequest, RequestCheck } from './request/request-check.ts';
export { VerificationSlots } from './request/verification-slots.ts';
export { bindGrants, grantsIn } from './token/grants.ts';
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
export { defaultScopeNames, type ScopeNames, scopesIn } from './token/scopes.ts';
export { repeatsMember } from './token/strict-json.ts';
export { type IssuerKeys, type RunVerification, TokenVerifier } from './token/verifier.ts';
