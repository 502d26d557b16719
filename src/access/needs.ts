/** Needs: the scopes and the actions on tables that a program or an operation requires. */

import type { Catalog } from '#catalog';
import { type DatabaseError, fail } from '#failure';
import { type Action, grantsAction } from './grant.ts';
import type { Principal } from './principal.ts';
import { everyScope, permits, type Scope } from './scope.ts';
import { isRestricted } from './view.ts';

export interface TableAction {
  readonly table: { readonly id: number; readonly name: string };
  readonly action: Action;
}

export interface Needs {
  readonly scopes: ReadonlySet<Scope>;
  readonly actions: readonly TableAction[];
}

/** One way to satisfy an operation. `isUnrestricted` excludes principals that are restricted to tables or rows. */
export interface Alternative {
  readonly scope: Scope;
  readonly isUnrestricted?: boolean;
}

/** Throws `insufficient_scope` if the principal lacks one of the scopes. */
export function requireScopes(principal: Principal, scopes: Iterable<Scope>): void {
  if (principal.scopes === everyScope) return;
  // Every program takes this path: nothing is allocated if the principal has the scopes.
  let missing: Scope[] | undefined;
  for (const scope of scopes) {
    if (permits(principal.scopes, scope)) continue;
    missing ??= [];
    missing.push(scope);
  }
  if (missing !== undefined) throw withoutScopes(missing.join(' and '), missing.length > 1);
}

/** Throws `insufficient_scope` if the principal lacks a scope or a grant. */
export function authorize(principal: Principal, { scopes, actions }: Needs): void {
  requireScopes(principal, scopes);
  const { grants } = principal.visibility;
  if (grants === undefined) return;
  const missing = actions.find(({ table, action }) => !grantsAction(grants, table.id, action));
  if (missing === undefined) return;
  const { table, action } = missing;
  throw refused(
    `the access token has no grant for the action ${action} on table "${table.name}"; use a token with the grant ${table.name}:${action}`,
  );
}

/** Throws `insufficient_scope` if the principal is restricted to tables or rows. `what` begins the message; `others` are scopes that suffice, too. */
export function requireUnrestricted(
  { visibility }: Principal,
  catalog: Pick<Catalog, 'policies'>,
  what: string,
  others: readonly Scope[] = [],
): void {
  if (!isRestricted(catalog, visibility)) return;
  const orElse = others.length === 0 ? '' : `, or one with the scope ${others.join(' or ')}`;
  throw refused(
    visibility.grants === undefined
      ? `${what} needs an access token that row policies do not restrict: that of a key with the policies \`bypass\`, or with the scope admin${orElse}`
      : `${what} needs an access token without grants, which is not restricted to tables${orElse}`,
  );
}

/** Throws `insufficient_scope` if the principal satisfies none of the alternatives. */
export function requireOne(
  principal: Principal,
  alternatives: readonly Alternative[],
  catalog: Pick<Catalog, 'policies'>,
): void {
  if (principal.scopes === everyScope) return;
  const isLimited = isRestricted(catalog, principal.visibility);
  let isHeld = false;
  // Nearly every request takes this path: nothing is allocated if the principal has the scope.
  for (const { scope, isUnrestricted } of alternatives) {
    if (!permits(principal.scopes, scope)) continue;
    if (!(isLimited && isUnrestricted)) return;
    isHeld = true;
  }
  if (isHeld) {
    const others = alternatives.filter((one) => one.isUnrestricted !== true);
    requireUnrestricted(
      principal,
      catalog,
      'this request',
      others.map(({ scope }) => scope),
    );
  }
  throw withoutScopes(alternatives.map(({ scope }) => scope).join(' or '));
}

function withoutScopes(words: string, areSeveral = false): DatabaseError {
  const noun = areSeveral ? 'scopes' : 'scope';
  return refused(`the access token lacks the ${noun} ${words}; use another token`);
}

function refused(detail: string): DatabaseError {
  return fail('insufficient_scope', detail);
}
