/** The grants in the claims of a token, which name tables. A table can be created later, so a missing one is not an error. */

import { type Action, actions, type Grant, type Grants } from '#access';
import { type JsonObject, memberOf } from './strict-json.ts';

export interface NamedGrant {
  /** The name of a table, or `*` for all tables. */
  readonly table: string;
  readonly actions: ReadonlySet<Action>;
}

/** The tables of the present catalog. */
export interface NamedTables {
  /** Another object as soon as a name can have another meaning. */
  readonly identity: () => object;
  readonly idOf: (name: string) => number | undefined;
}

/**
 * Returns the grants of the claim, `undefined` without the claim. If any part of the claim is malformed, the list is empty: a part
 * that was misunderstood must not permit more.
 */
export function grantsIn(claims: JsonObject, claim: string): readonly NamedGrant[] | undefined {
  if (!Object.hasOwn(claims, claim)) return undefined;
  const texts = memberOf(claims, claim);
  if (!Array.isArray(texts)) return [];
  const grants = texts.map(parseGrant);
  const known = grants.filter((grant) => grant !== undefined);
  return known.length === grants.length && !known.some((grant) => changesUnread(grant, known))
    ? known
    : [];
}

/** Binds grants to the tables that have these names now. */
export function bindGrants(grants: readonly NamedGrant[], tables: NamedTables): Grants {
  return grants.flatMap(({ table, actions: held }): Grant[] => {
    const id = table === '*' ? table : tables.idOf(table);
    return id === undefined ? [] : [{ table: id, actions: held }];
  });
}

function parseGrant(text: unknown): NamedGrant | undefined {
  if (typeof text !== 'string') return undefined;
  const at = text.lastIndexOf(':');
  const words = text.slice(at + 1).split(',');
  const isValid = at > 0 && words.every((word) => (actions as readonly string[]).includes(word));
  return isValid ? { table: text.slice(0, at), actions: new Set(words as Action[]) } : undefined;
}

/** Returns whether the grant permits an update or a delete, whose results contain rows, without read. */
function changesUnread(grant: NamedGrant, all: readonly NamedGrant[]): boolean {
  if (!grant.actions.has('update') && !grant.actions.has('delete')) return false;
  return !all.some(
    ({ table, actions: held }) => held.has('read') && (table === '*' || table === grant.table),
  );
}
