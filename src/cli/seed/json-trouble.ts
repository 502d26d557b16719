/** Describes syntax errors of a seed file in terms of JSON. A YAML parser finds their positions, but its messages use YAML terms. */

import type { YAMLParseError } from 'yaml';

export function jsonTrouble({ code, message }: YAMLParseError): string {
  const [, bracket] = /end with a ([\]}])/.exec(message) ?? [];
  if (bracket !== undefined) return `expected , or ${bracket}`;
  if (message.startsWith('Missing closing')) return 'the text has no closing quote';
  switch (code) {
    case 'MISSING_CHAR':
      return 'expected , or :';
    case 'DUPLICATE_KEY':
      return 'the object has this name twice';
    case 'BAD_DQ_ESCAPE':
      return 'unknown escape sequence';
    case 'BAD_SCALAR_START':
      return 'a text needs double quotes';
    default:
      return 'not expected here';
  }
}
