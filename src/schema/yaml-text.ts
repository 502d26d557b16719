/**
 * A YAML writer whose output other tools can read. svc reads YAML 1.2. Clusters, linters and scripts often read YAML 1.1, in which `off` is false,
 * `12:30` is 750 and `2026-02-30` is an error. A string is quoted if either version would read it as another type.
 */

import { Document, isScalar, visit } from 'yaml';

/** Returns the YAML of a value, which must consist of plain objects, lists and scalars. */
export function yamlText(value: unknown): string {
  const document = new Document(value, { compat: 'yaml-1.1', aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_key, node) {
      if (isScalar(node) && typeof node.value === 'string' && needsEscape(node.value)) {
        node.type = 'QUOTE_DOUBLE';
      }
    },
  });
  return withEscapes(document.toString({ lineWidth: 0 }));
}

/** Words that YAML 1.1 or 1.2 reads as a boolean or as null. */
const words = /^(?:true|false|null|y|n|yes|no|on|off)$/i;
const plain = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** Returns a string as a scalar for a flow collection: a list in brackets or a mapping in braces. */
export function yamlScalar(text: string): string {
  return plain.test(text) && !words.test(text) ? text : withEscapes(JSON.stringify(text));
}

/** Characters that must be escaped for every reader: line ends of YAML 1.1, control characters, the byte order mark. */
const unseen = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** Returns whether the string needs escapes. `=` and `<<` alone have a special meaning, and some readers reject a tab in a plain scalar. */
function needsEscape(text: string): boolean {
  return text === '=' || text === '<<' || text.includes('\t') || text.search(unseen) >= 0;
}

function withEscapes(text: string): string {
  return text.replace(
    unseen,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
