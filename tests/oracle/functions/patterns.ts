/** The pattern match of SQL by the regular expressions of the language. */

import { failed } from '../problem.ts';
import { row } from './row.ts';
import { textRows } from './text.ts';

/** Undefined if the pattern ends within an escape. */
function sourceOf(
  pattern: string,
  mark: string,
  change: (text: string) => string,
): string | undefined {
  let source = '';
  const characters = [...pattern];
  while (characters.length > 0) {
    let next = characters.shift() as string;
    const isEscaped = next === mark;
    if (isEscaped) {
      const escaped = characters.shift();
      if (escaped === undefined) return undefined;
      next = escaped;
    }
    if (!isEscaped && next === '%') source += '[^]*';
    else if (!isEscaped && next === '_') source += '[^]';
    else source += `\\u{${(change(next).codePointAt(0) as number).toString(16)}}`;
  }
  return source;
}

function likeRows(change: (text: string) => string) {
  return [
    row('text text > bool', (text: string, pattern: string) => {
      const source = sourceOf(pattern, '\\', change);
      return source !== undefined && new RegExp(`^${source}$`, 'u').test(change(text));
    }),
    row('text text text > bool', (text: string, pattern: string, mark: string) => {
      const source = [...mark].length > 1 ? undefined : sourceOf(pattern, mark, change);
      if (source === undefined) throw failed('invalid_argument');
      return new RegExp(`^${source}$`, 'u').test(change(text));
    }),
  ];
}

export const patternRows = {
  like: likeRows((text) => text),
  ilike: likeRows((text) => textRows.lower[0]?.value(text) as string),
};
