/** Entity tags of conditional queries: parses `If-None-Match` and compares tags weakly (RFC 9110 §8.8, §13.1.2). */

import { fail } from '#failure';

/** `*`, or the opaque parts of the listed tags. */
export type TagCondition = '*' | readonly string[];

const tagPattern = /^(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/;

/** Returns the condition of a request, or `undefined` without the header. Refuses a malformed header. */
export function parseTagCondition(header: string | null): TagCondition | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  if (text === '*') return '*';
  const tags: string[] = [];
  // Empty list members are ignored (RFC 9110 §5.6.1.2).
  let rest = text.replace(/^[,\s]+/, '');
  while (rest !== '') {
    const match = tagPattern.exec(rest);
    if (match === null) throw malformed();
    tags.push(match[1] as string);
    rest = rest.slice(match[0].length).trimStart();
    if (rest === '') break;
    if (!rest.startsWith(',')) throw malformed();
    rest = rest.replace(/^[,\s]+/, '');
  }
  if (tags.length === 0) throw malformed();
  return tags;
}

/** Compares weakly: returns whether an opaque part is equal. `tag` is a whole entity tag, `W/"…"`. */
export function matchesTag(condition: TagCondition | undefined, tag: string): boolean {
  if (condition === undefined) return false;
  if (condition === '*') return true;
  const opaque = tagPattern.exec(tag)?.[1];
  return condition.some((candidate) => candidate === opaque);
}

function malformed(): Error {
  return fail('schema_violation', 'malformed If-None-Match header', {
    status: 400,
    location: { pointer: '/header/if-none-match' },
  });
}
