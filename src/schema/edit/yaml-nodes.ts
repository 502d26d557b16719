/** Nodes of a document in the making: a rendered entry as a node, and the list that it goes into. */

import { isMap, isSeq, parseDocument, type YAMLMap, YAMLSeq } from 'yaml';

/** A flow mapping, as rendering writes it. */
export function parsedMap(text: string): YAMLMap {
  const { contents } = parseDocument(text, { intAsBigInt: true });
  if (!isMap(contents)) throw new TypeError('a rendered entry is a mapping');
  return contents as YAMLMap;
}

/** The list of a table, made when there is none. */
export function listOf(node: YAMLMap, member: string): YAMLSeq {
  const found = node.get(member);
  if (isSeq(found)) return found;
  const list = new YAMLSeq();
  node.set(member, list);
  return list;
}
