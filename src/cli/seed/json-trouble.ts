/** What is wrong with a seed file that is no JSON, in words of JSON: the parser that tells the place is one of YAML, and speaks of its own syntax. */

import type { YAMLParseError } from 'yaml';

export function jsonTrouble({ code, message }: YAMLParseError): string {
  const [, bracket] = /end with a ([\]}])/.exec(message) ?? [];
  if (bracket !== undefined) return `expected , or ${bracket}`;
  if (message.startsWith('Missing closing')) return 'the text has no closing quote';
  switch (code) {
    case 'MISSING_CHAR':
      return 'expected , or :';
    case 'DUPLICATE_KEY':
      return 'the name stands twice in one object';
    case 'BAD_DQ_ESCAPE':
      return 'the text has an escape that there is not';
    case 'BAD_SCALAR_START':
      return 'a text needs double quotes';
    default:
      return 'not expected here';
  }
}
