/** Helpers for YAML nodes: rendered entries, the lists that contain them, and texts. */

import { isMap, isScalar, isSeq, parseDocument, Scalar, type YAMLMap, YAMLSeq } from 'yaml';
import { yamlScalar } from '../yaml-text.ts';

/** Returns the node of a rendered entry, which is a flow mapping. */
export function parsedMap(text: string): YAMLMap {
  const { contents } = parseDocument(text, { intAsBigInt: true });
  if (!isMap(contents)) throw new TypeError('a rendered entry is a mapping');
  return contents as YAMLMap;
}

/** Returns a list of a table. Creates the list if it does not exist. */
export function listOf(node: YAMLMap, member: string): YAMLSeq {
  const found = node.get(member);
  if (isSeq(found)) return found;
  const list = new YAMLSeq();
  node.set(member, list);
  return list;
}

/** Sets the text of a member. A comment after the former text is preserved. */
export function setText(node: YAMLMap, member: string, text: string): void {
  const found = node.get(member, true);
  const scalar = isScalar(found) ? found : new Scalar(text);
  changeText(scalar, text);
  if (scalar !== found) node.set(member, scalar);
}

/** Changes the text of a scalar. Adds quotes if YAML 1.1 would read the text as another type; otherwise preserves the quoting. */
export function changeText(scalar: Scalar, text: string): void {
  scalar.value = text;
  if (yamlScalar(text) !== text) scalar.type = 'QUOTE_DOUBLE';
}
