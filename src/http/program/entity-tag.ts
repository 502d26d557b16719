/** Entity tags of conditional queries: parsing `If-None-Match` and weak comparison (RFC 9110 §8.8, §13.1.2). */

import { fail } from '#failure';

/** `*`, or the opaque parts of the listed tags. */
export type TagCondition = '*' | readonly string[];

const tagPattern = /^(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/;

/** The condition of a request, undefined without the header; a malformed header is refused. */
export function parseTagCondition(header: string | null): TagCondition | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  if (text === '*') return '*';
  const tags: string[] = [];
  // Empty members of a list count for nothing (RFC 9110 §5.6.1.2).
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

/** Weak comparison: the opaque parts are equal. `tag` is a whole entity tag, `W/"…"`. */
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
