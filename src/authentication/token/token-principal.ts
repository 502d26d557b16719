/** The principal of a verified token. */

import { type Claims, type Principal, visibilityOf } from '#access';
import type { TokenClaims } from './claims.ts';
import { bindGrants, grantsIn, type NamedGrant, type NamedTables } from './grants.ts';
import { type ScopeNames, scopesIn } from './scopes.ts';
import type { JsonObject } from './strict-json.ts';

/** How the claims of an issuer are read. */
export interface TokenRights {
  readonly scopeNames: ScopeNames;
  readonly grantsClaim: string;
}

/** A principal, and the grants from which its visibility is derived again when the catalog has changed. */
export interface BoundToken {
  readonly principal: Principal;
  /** `undefined`: the token does not restrict the tables. */
  readonly grants: readonly NamedGrant[] | undefined;
}

/** Grants exclude the scopes `schema` and `admin`, which apply to all tables. */
const unrestrictedScopes = new Set(['schema', 'admin']);

/** A token whose signature is valid. */
interface Verified extends Required<Pick<Principal, 'isValidAt'>> {
  readonly claims: TokenClaims;
  readonly issuer: string;
}

export function boundToken(
  { claims, issuer, isValidAt }: Verified,
  rights: TokenRights,
  tables: NamedTables,
): BoundToken {
  const { subject, expiresAtMs, members } = claims;
  const grants = grantsIn(members, rights.grantsClaim);
  const named = scopesIn(members, rights.scopeNames);
  const scopes =
    grants === undefined
      ? named
      : new Set([...named].filter((scope) => !unrestrictedScopes.has(scope)));
  const principal: Principal = {
    kind: 'token',
    id: `${issuer} ${subject}`,
    scopes,
    visibility: visibilityOf(
      grants && bindGrants(grants, tables),
      scopes.has('admin') ? 'bypass' : 'enforce',
    ),
    claims: scalarsIn(members),
    limits: {},
    issuer,
    expiresAtMs,
    isValidAt,
  };
  return { principal, grants };
}

/** Returns the token with its grants bound to the present catalog. */
export function boundAgain({ principal, grants }: BoundToken, tables: NamedTables): BoundToken {
  const bound = grants && bindGrants(grants, tables);
  const visibility = visibilityOf(bound, principal.visibility.policies);
  return { principal: { ...principal, visibility }, grants };
}

/** Claims that policies can compare: all members except objects, arrays and null. */
function scalarsIn(members: JsonObject): Claims {
  const scalars = Object.entries(members).filter(
    (entry): entry is [string, string | number | boolean] =>
      ['string', 'number', 'boolean'].includes(typeof entry[1]),
  );
  return Object.assign(Object.create(null), Object.fromEntries(scalars)) as Claims;
}
