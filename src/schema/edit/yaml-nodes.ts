/** Nodes of a document in the making: a rendered entry as a node, and the list that it goes into. */

import { isMap, isScalar, isSeq, parseDocument, Scalar, type YAMLMap, YAMLSeq } from 'yaml';
import { yamlScalar } from '../yaml-text.ts';

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

/** Gives a member a text. A comment beside the former text stays. */
export function setText(node: YAMLMap, member: string, text: string): void {
  const found = node.get(member, true);
  const scalar = isScalar(found) ? found : new Scalar(text);
  changeText(scalar, text);
  if (scalar !== found) node.set(member, scalar);
}

/** A text that YAML 1.1 would read as something else gets quotes; any other keeps those that it has. */
export function changeText(scalar: Scalar, text: string): void {
  scalar.value = text;
  if (yamlScalar(text) !== text) scalar.type = 'QUOTE_DOUBLE';
}
