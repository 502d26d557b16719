/** The text form of programs: equal for two documents that differ only in white space and in the order of members. */

import type { Steps, YieldPolicy } from '#base';
import { TextRows } from '#value';
import type { Program } from './program.ts';

/** Writing this many characters takes about as long as a row of work. */
const charactersOfRow = 64;

interface Page {
  text: string;
  readonly pace: YieldPolicy;
  readonly isFamily: boolean;
  /** Length of the text at the last call of `pause`. */
  lookedAt: number;
}

/** Returns JSON with sorted members and exact integers, for display and for fingerprints. */
export function* programText(program: Program, pace: YieldPolicy): Steps<string> {
  return yield* textOf(program, pace, false);
}

/**
 * Like `programText`, without literals, cells, texts of patterns, limits and offsets. The text is equal for all programs that differ only in
 * these.
 */
export function* programFamilyText(program: Program, pace: YieldPolicy): Steps<string> {
  return yield* textOf(program, pace, true);
}

function* textOf(program: Program, pace: YieldPolicy, isFamily: boolean): Steps<string> {
  const page: Page = { text: '', pace, isFamily, lookedAt: 0 };
  yield* write(program, page);
  return page.text;
}

/** The function is recursive, because documents have a bounded depth. */
function* write(value: unknown, page: Page): Steps<void> {
  if (typeof value !== 'object' || value === null) {
    page.text += typeof value === 'bigint' ? String(value) : JSON.stringify(value);
    const characters = page.text.length - page.lookedAt;
    if (characters < charactersOfRow) return;
    page.lookedAt = page.text.length;
    const wait = page.pace.pause(characters / charactersOfRow);
    if (wait !== undefined) yield wait;
    return;
  }
  if (value instanceof TextRows) return yield* writeRows(value, page);
  const isList = Array.isArray(value);
  const members = value as Readonly<Record<string, unknown>>;
  const dropped = page.isFamily && !isList ? literalMembers(members) : none;
  const names = isList ? undefined : Object.keys(members).sort();
  page.text += isList ? '[' : '{';
  let isFirst = true;
  for (const name of names ?? (value as readonly unknown[]).keys()) {
    const member = members[name];
    if (member === undefined || dropped.includes(String(name))) continue;
    page.text += `${isFirst ? '' : ','}${isList ? '' : `${JSON.stringify(name)}:`}`;
    isFirst = false;
    if (members['kind'] === 'lit' && page.isFamily && name === 'value') {
      page.text += JSON.stringify({ type: (member as { readonly type?: unknown }).type });
    } else yield* write(member, page);
  }
  page.text += isList ? ']' : '}';
}

function* writeRows(rows: TextRows, page: Page): Steps<void> {
  page.text += '[';
  for (let at = 0; at < rows.length; at++) {
    if (at > 0) page.text += ',';
    yield* write(rows.row(at), page);
  }
  page.text += ']';
}

const none: readonly string[] = [];

function literalMembers({ kind }: Readonly<Record<string, unknown>>): readonly string[] {
  switch (kind) {
    case 'rows':
      return ['rows'];
    case 'literal':
      return ['value'];
    case 'slice':
      return ['offset', 'limit'];
    default:
      return none;
  }
}
