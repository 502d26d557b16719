/** One look at a query of one server: what is kept of it, and what becomes of the answer. */

import { type AnswerCache, deepFreeze, type Kept } from './cache.ts';
import type { ReadAnswer } from './channel.ts';
import type { Compiled } from './seam.ts';

export interface CachedQuery {
  /** What is kept for a token, or was seen last; who has another token may see another result. */
  find(token: string): Kept | undefined;
  /** What is kept from now on: the same object as before where the tag, or without one the text, is the same. */
  keep(answer: Pick<ReadAnswer, 'value' | 'isShort' | 'text'>, tag: string | null): Kept;
}

export function cachedQuery(
  cache: AnswerCache,
  url: string,
  { relationBody, decode }: Compiled,
  last: Kept | undefined,
): CachedQuery {
  let key = '';
  let kept: Kept | undefined;
  return {
    find: (token) => {
      key = `${url}\n${token}\n${relationBody}`;
      kept = cache.get(key) ?? (last?.key === key ? last : undefined);
      return kept;
    },
    keep: ({ value, isShort, text }, tag) => {
      // Somebody else may have asked at the same time: it is one result, and one object.
      for (const known of [kept, cache.get(key)]) {
        if (known && (tag ? known.tag === tag : known.text === text)) return known;
      }
      const bytes = 2 * (key.length + 2 * text.length);
      const now = { key, tag, text, value: deepFreeze(decode(value, isShort)), bytes };
      cache.set(now);
      return now;
    },
  };
}
