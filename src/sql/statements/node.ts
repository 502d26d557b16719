/** Access to the nodes of a parse tree. */

import type { Node } from 'libpg-query';

/** Returns the name of the one member of a node, such as `SelectStmt`. */
export function kindOf(node: Node): string {
  for (const kind in node) return kind;
  return '';
}

/** Returns the text of a node `String`, such as a part of a name. */
export function stringOf(node: Node | undefined): string | undefined {
  return node !== undefined && 'String' in node ? (node.String.sval ?? '') : undefined;
}

/** Returns the text of a constant or of a name; `undefined` for any other node. */
export function constantText(node: Node | undefined): string | undefined {
  if (node === undefined) return undefined;
  if ('String' in node) return node.String.sval ?? '';
  if ('Integer' in node) return String(node.Integer.ival ?? 0);
  if ('Float' in node) return node.Float.fval ?? '';
  if ('Boolean' in node) return node.Boolean.boolval ? 'true' : 'false';
  if (!('A_Const' in node)) return undefined;
  const { A_Const: constant } = node;
  if (constant.sval) return constant.sval.sval ?? '';
  if (constant.ival) return String(constant.ival.ival ?? 0);
  if (constant.fval) return constant.fval.fval ?? '';
  return constant.boolval ? String(constant.boolval.boolval ?? false) : undefined;
}
