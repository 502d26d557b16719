/**
 * Authority: principals, their scopes and grants, and API keys as data.
 *
 * Start with `principal.ts`. A scope permits a kind of request, a grant permits actions on one table. Grants are bound to table ids, so they follow a table
 * when it is renamed. Everything here is pure. The check of a token belongs to the layers of the server.
 */

export { type ApiKey, endOf, type KeyRights, principalOfKey } from './api-key.ts';
export { claimValue } from './claim-value.ts';
export type { Claims } from './claims.ts';
export { parseDuration } from './duration.ts';
export { type Action, actions, type Grant, type Grants, grantsOf } from './grant.ts';
export { grantTexts } from './grant-text.ts';
export type { KeyList, KeyRecord, NewKeyRecord } from './key-record.ts';
export { type KeyChange, KeySet, KeySetReader, keysMax, noKeys } from './key-set.ts';
export { drawKey, hashOfKey, idOfKey, isKeyId, mayHoldKey, withoutKeys } from './key-text.ts';
export { type KeyWish, limitWishes, readKeyWish } from './key-wish.ts';
export {
  type Alternative,
  authorize,
  type Needs,
  requireOne,
  requireScopes,
  requireUnrestricted,
  type TableAction,
} from './needs.ts';
export { anyone, identityOf, OpenPrincipal, type Principal } from './principal.ts';
export { permits, type Scope, type Scopes, scopes } from './scope.ts';
export { shownError } from './shown-failure.ts';
export { viewOf, visibleTable, visibleTables } from './view.ts';
export { unrestricted, visibilityOf } from './visibility.ts';
export { withoutAdministration } from './without-administration.ts';
