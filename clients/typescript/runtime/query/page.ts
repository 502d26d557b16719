/** Pages by key: rows behind or in front of a row, in any order, with NULLs where the order has them. */

import { BuildError } from '../client/build-error.ts';
import type { Compiled, PageOptions } from '../client/seam.ts';
import { fromBase64, toBase64 } from '../wire/codec.ts';
import { compile } from './compile.ts';
import { call, literal } from './expression.ts';
import { isOrderedBy } from './order.ts';
import { type Asked, type Ex, OrderTerm, type PagePlan } from './parts.ts';
import { Q, termsOf } from './query.ts';
import { Doc } from './relation.ts';
import type { Call, Row } from './table.ts';
import { readerOf } from './table.ts';

/** Not a cursor, or one of another query. */
export class CursorError extends Error {
  override name = 'CursorError';
}

const version = 1;
const sizeMax = 100_000;

export function pageOf(query: unknown, { size, after, before }: PageOptions): Compiled {
  if (!(query instanceof Q) || query.card !== 'many')
    throw new BuildError('page wants a query of many rows');
  if (!Number.isSafeInteger(size) || size < 1 || size > sizeMax)
    throw new BuildError(`size: 1 to ${sizeMax}`);
  if (after && before) throw new BuildError('a page is after or before a cursor, not both');
  const { base, terms: by, fields } = partsOf(query);
  const isBack = Boolean(before);
  const terms = (args: readonly Row[], key: readonly Ex[]) =>
    allTerms(by === undefined ? [] : termsOf(by(...args)), key);
  const keyOf = new Doc().rel(base).key;
  if (keyOf === undefined)
    throw new BuildError(
      'page wants rows with a key: union, distinct and rows have none, and orderBy stands in front of select',
    );
  const shape = shapeOf(query);
  const cursor = after || before;
  const given = cursor ? valuesOf(cursor, shape) : undefined;
  let names: readonly string[] = [];
  const plan = (args: readonly Row[], key: readonly Ex[]): PagePlan => {
    const all = terms(args, key);
    const turned = isBack ? all.map(({ ex, desc }) => new OrderTerm(ex, !desc)) : all;
    const wanted = fields === undefined ? args[0] : fields(...args);
    // Beside what is selected under any name.
    let mark = '$k';
    while (Object.keys(Object(wanted)).some((name) => name.startsWith(mark))) mark = `$${mark}`;
    names = all.map((_, i) => mark + i);
    const hidden = Object.fromEntries(all.map(({ ex }, i) => [mark + i, ex]));
    return {
      kept:
        given &&
        behind(
          turned,
          given.map((value, i) => native(turned[i]?.ex as Ex, value)),
        ),
      terms: turned,
      fields: { ...Object(wanted), ...hidden },
    };
  };
  const paged = new Q({ kind: 'page', input: base, plan, limit: size + 1 }, { name: query.name });
  const compiled = compile(paged);
  return {
    ...compiled,
    decode: (result, isShort) => {
      const raw = result as Row[];
      const hasMore = raw.length > size;
      const count = Math.min(raw.length, size);
      // Decoding may put values of the application in the place of those on the wire.
      const cursors = [0, count - 1].map((i) => cursorOf(raw[i], names, shape));
      const rows = compiled.decode(result, isShort) as Row[];
      const page = rows.slice(0, count).map((row) => without(row, names));
      const [first, last] = (isBack ? cursors.reverse() : cursors) as [
        string | null,
        string | null,
      ];
      if (isBack) page.reverse();
      return {
        rows: page,
        next: (isBack ? count > 0 : hasMore) ? last : null,
        previous: (isBack ? hasMore : count > 0 && after) ? first : null,
      };
    },
  };
}

/** The projection, the order and what lies below them. */
function partsOf(q: Asked): { base: Asked; terms?: Call; fields?: Call } {
  const { step } = q;
  if (step.kind === 'same') return partsOf(step.input);
  if (step.kind === 'select') {
    const inner = partsOf(step.input);
    if (inner.fields !== undefined) throw new BuildError('page wants one select');
    return { ...inner, fields: step.fields };
  }
  if (step.kind === 'order' && step.terms !== undefined)
    return { base: step.input, terms: step.terms };
  if (step.kind === 'slice') throw new BuildError('page has its own limit');
  if (step.kind === 'where' && isOrderedBy(q)) {
    const inner = partsOf(step.input);
    if (inner.fields !== undefined)
      throw new BuildError('page wants where in front of select, or orderBy behind both');
    return { ...inner, base: new Q({ ...step, input: inner.base }) };
  }
  return { base: q };
}

/** The order, and the key behind it. */
function allTerms(terms: readonly OrderTerm[], key: readonly Ex[]): readonly OrderTerm[] {
  const rest = key.filter((ex) => !terms.some((term) => isSameColumn(term.ex, ex)));
  return [...terms, ...rest.map((ex) => new OrderTerm(ex, false))];
}

function isSameColumn({ term: a }: Ex, { term: b }: Ex): boolean {
  if (a.kind !== 'col' || b.kind !== 'col') return false;
  return a.scope === b.scope && a.column === b.column && a.owner === b.owner;
}

const or = (left: Ex, right: Ex) => call(left, 'or', right);
/** As answers have it, and cursors: integers beyond 2^53 are texts. */
const native = ({ code }: Ex, value: unknown) => {
  const read = readerOf(code === 's' || code === 'n' ? 'i' : code, 'a cursor');
  return read ? read(value as never) : value;
};
const both = (left: Ex, right: Ex) => call(left, 'and', right);

/** The bound of the first term in front: an index is read from there. */
function behind(terms: readonly OrderTerm[], values: readonly unknown[]): Ex {
  const chain = (i: number): Ex | undefined => {
    const further = beyond(terms[i] as OrderTerm, values[i]);
    const rest = i + 1 < terms.length ? chain(i + 1) : undefined;
    const tie = rest && both(equal(terms[i] as OrderTerm, values[i]), rest);
    return further === undefined ? tie : tie === undefined ? further : or(further, tie);
  };
  const found = chain(0) ?? literal('b', false);
  const [first] = terms as [OrderTerm];
  const [value] = values;
  if (value === null || (first.desc && first.ex.nullable)) return found;
  return both(call(first.ex, first.desc ? 'lte' : 'gte', value), found);
}

function equal({ ex }: OrderTerm, value: unknown): Ex {
  return value === null ? call(ex, 'isNull') : call(ex, 'eq', value);
}

/** NULL comes first ascending, last descending; undefined where nothing lies beyond. */
function beyond({ ex, desc }: OrderTerm, value: unknown): Ex | undefined {
  if (value === null) return desc ? undefined : call(ex, 'isNotNull');
  const compared = call(ex, desc ? 'lt' : 'gt', value);
  return desc && ex.nullable ? or(compared, call(ex, 'isNull')) : compared;
}

function without(row: Row, names: readonly string[]): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
}

/** What a cursor belongs to: the text of the query. */
function shapeOf(query: Q): string {
  let hash = 0x811c9dc5;
  for (const character of compile(query).body) {
    hash = Math.imul(hash ^ (character.codePointAt(0) as number), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}

function cursorOf(row: Row | undefined, names: readonly string[], shape: string): string | null {
  if (row === undefined) return null;
  const text = JSON.stringify([version, shape, names.map((name) => row[name])]);
  const base64 = toBase64(new TextEncoder().encode(text));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function valuesOf(cursor: string, shape: string): readonly unknown[] {
  let found: unknown;
  try {
    const bytes = fromBase64(cursor.replaceAll('-', '+').replaceAll('_', '/'));
    found = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new CursorError('that is no cursor');
  }
  const [at, of, values] = Array.isArray(found) ? found : [];
  if (at !== version || of !== shape || !Array.isArray(values)) {
    throw new CursorError('the cursor is of another query: begin with the first page');
  }
  return values;
}
