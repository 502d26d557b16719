/** Reads the nodes of parse trees. */

import type { A_Const, Node } from 'libpg-query';

/** Returns the strings of a list of names. */
export function nameParts(names: readonly Node[] | undefined): readonly string[] {
  return (names ?? []).map((node) => ('String' in node ? (node.String.sval ?? '') : '*'));
}

/** Returns the last part of a name that may be qualified with `pg_catalog`; `undefined` for another schema. */
export function builtinName(names: readonly Node[] | undefined): string | undefined {
  const parts = nameParts(names);
  return parts.length === 1 || (parts.length === 2 && parts[0] === 'pg_catalog')
    ? parts.at(-1)
    : undefined;
}

/** Returns the kind of a node and its content. */
export function opened(node: Node): readonly [kind: string, content: { location?: number }] {
  return Object.entries(node)[0] as [string, { location?: number }];
}

export function locationOf(node: Node | undefined): number | undefined {
  if (node === undefined) return undefined;
  const [kind, content] = opened(node);
  if (kind === 'TypeCast') return locationOf((content as { arg?: Node }).arg) ?? content.location;
  if (kind === 'A_Expr') {
    const left = locationOf((content as { lexpr?: Node }).lexpr);
    return left === undefined ? content.location : Math.min(left, content.location ?? left);
  }
  return content.location;
}

/** Returns the constant of a node; `undefined` if the node is something else. */
export function constantOf(node: Node | undefined): A_Const | undefined {
  return node !== undefined && 'A_Const' in node ? node.A_Const : undefined;
}

/** Returns the items of a list node. */
export function itemsOf(node: Node | undefined): readonly Node[] {
  return node !== undefined && 'List' in node ? (node.List.items ?? []) : [];
}
