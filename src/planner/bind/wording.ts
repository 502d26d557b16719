/** Messages for unknown names, with the name that was probably meant. */

import { visibleTables } from '#access';
import { orDidYouMean } from '#base';
import { type BindContext, quoted } from './context.ts';
import type { Enclosing, Scopes } from './scope.ts';

export function unknownTable({ around }: BindContext, name: string): string {
  const { catalog, principal } = around;
  const known = visibleTables(catalog, principal.visibility).map((table) => table.name);
  return `unknown table ${quoted(name)}${orDidYouMean(name, known)}`;
}

/** Describes a missing column. `holder` names the table or scope in the message. */
export function noColumn(holder: string, name: string, known: Iterable<string>): string {
  return `${holder} has no column ${quoted(name)}${orDidYouMean(name, known)}`;
}

export function unknownScope(
  label: string,
  scopes: Scopes,
  enclosing: Enclosing | undefined,
): string {
  const labels = [...scopes.keys()];
  for (let at = enclosing; at !== undefined; at = at.around) labels.push(...at.scopes.keys());
  return `unknown scope ${quoted(label)}${orDidYouMean(label, labels)}`;
}
