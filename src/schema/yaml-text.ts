/**
 * YAML for other tools. svc reads YAML 1.2; clusters, linters and scripts often read YAML 1.1, in which `off` is false, `12:30` is 750 and `2026-02-30` is an
 * error. Each text that either version reads as something else than text is written in quotes.
 */

import { Document, isScalar, visit } from 'yaml';

/** `value` consists of plain objects, lists and scalars. */
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

/** A text as a scalar in a list or mapping in braces. */
export function yamlScalar(text: string): string {
  return plain.test(text) && !words.test(text) ? text : withEscapes(JSON.stringify(text));
}

/** Characters that no reader may find unescaped: line ends of YAML 1.1, control characters, the byte order mark. */
const unseen = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** `=` and `<<` alone have a meaning of their own, and a tab is no character of a plain text everywhere. */
function needsEscape(text: string): boolean {
  return text === '=' || text === '<<' || text.includes('\t') || text.search(unseen) >= 0;
}

function withEscapes(text: string): string {
  return text.replace(
    unseen,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
