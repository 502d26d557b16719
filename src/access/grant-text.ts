/** Grants as text: `orders:read,create`, with the name of a table or `*`. */

import { orDidYouMean } from '#base';
import { type Catalog, tableById, tableByName } from '#catalog';
import type { Findings } from './findings.ts';
import {
  type Action,
  actions,
  type Grant,
  type GrantedActions,
  grantsAction,
  mergeGrants,
} from './grant.ts';

/** Parses grants by the names of a catalog. Problems are added to `findings`, at the index of the grant. */
export function parseGrants(
  texts: readonly string[],
  catalog: Catalog,
  findings: Findings,
): readonly Grant[] {
  const grants = texts.map((text, i) =>
    parseGrant(text, catalog, (...finding) => findings.add(['grants', i], ...finding)),
  );
  const known = grants.filter((grant) => grant !== undefined);
  const merged = mergeGrants(known);
  grants.forEach((grant, i) => {
    const blind = grant && changeWithoutRead(grant, merged);
    if (blind === undefined) return;
    const detail = `a grant of ${blind} needs read on the same table, because its result contains rows: add read`;
    findings.add(['grants', i], detail);
  });
  return known;
}

/** Returns each grant as text, with the present name of its table. Grants on tables that were deleted are left out. */
export function grantTexts(grants: readonly Grant[], catalog: Catalog): readonly string[] {
  return grants.flatMap(({ table, actions: held }) => {
    const name = table === '*' ? table : tableById(catalog, table)?.name;
    const words = actions.filter((action) => held.has(action));
    return name === undefined ? [] : [`${name}:${words.join(',')}`];
  });
}

type Refuse = (detail: string, reason?: 'invalid' | 'unknown_table') => void;

function parseGrant(text: string, catalog: Catalog, refuse: Refuse): Grant | undefined {
  const at = text.lastIndexOf(':');
  if (at <= 0) {
    refuse('invalid grant: expected TABLE:ACTIONS, such as orders:read,create');
    return undefined;
  }
  const table = tableOf(text.slice(0, at), catalog, refuse);
  const held = actionsOf(text.slice(at + 1), refuse);
  return table === undefined || held === undefined ? undefined : { table, actions: held };
}

function tableOf(name: string, catalog: Catalog, refuse: Refuse): number | '*' | undefined {
  if (name === '*') return name;
  const table = tableByName(catalog, name);
  if (table !== undefined) return table.id;
  const known = catalog.tables.map((other) => other.name);
  refuse(`unknown table ${JSON.stringify(name)}${orDidYouMean(name, known)}`, 'unknown_table');
  return undefined;
}

function actionsOf(text: string, refuse: Refuse): ReadonlySet<Action> | undefined {
  const words = text.split(',');
  const wrong = words.find((word) => !actions.includes(word as Action));
  if (wrong === undefined) return new Set(words as Action[]);
  const guess = orDidYouMean(wrong, actions);
  refuse(`unknown action ${JSON.stringify(wrong)}: expected ${actions.join(', ')}${guess}`);
  return undefined;
}

/** Returns `update` or `delete` if the grant contains it and no grant permits to read its table. */
function changeWithoutRead(
  { table, actions: held }: Grant,
  all: GrantedActions,
): Action | undefined {
  const readable =
    table === '*' ? all.get('*')?.has('read') === true : grantsAction(all, table, 'read');
  return readable ? undefined : (['update', 'delete'] as const).find((action) => held.has(action));
}
