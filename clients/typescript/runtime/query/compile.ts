/** From queries, statements and programs to what the client sends, and how the answers are read. */

import { BuildError } from '../client/build-error.ts';
import { guardPrefix } from '../client/failed-statement.ts';
import type { Compiled, Params } from '../client/seam.ts';
import type { Code } from '../table-info.ts';
import { oneReader, rowReader, rowsReader } from './columns.ts';
import { literalText, paramMark, whilePreparing } from './literals.ts';
import { Ex } from './parts.ts';
import { Q, scanOf } from './query.ts';
import { Doc } from './relation.ts';
import { type Arrange, oneRow, Program, Reading, type Statement, Write } from './statement.ts';
import { given, type Row, record, type ValueReader } from './table.ts';

const programBytesMax = 4 << 20;

interface Segment {
  readonly text: string;
  readonly read: ValueReader;
  readonly doc: Doc;
}

/** A query as the relation of a statement. */
function relationOf(q: Q, names: ReadonlyMap<unknown, string>): Segment {
  const doc = new Doc(names);
  const { node, out } = doc.shaped(q);
  const cardinality = { many: 'many', maybe: 'first', one: 'exactly_one' }[q.card];
  const row = q.card === 'many' ? undefined : rowReader(out);
  const read =
    q.card === 'many' ? rowsReader(out) : row && oneReader(row, q.card, q.name ?? 'the query');
  return { text: doc.text(node, cardinality), read, doc };
}

/** The input of a statement that writes: no order is needed. */
function inputOf({ input }: Write, names: ReadonlyMap<unknown, string>): Segment {
  const doc = new Doc(names);
  return { text: doc.text(doc.explicit(input).node, 'many'), read: undefined, doc };
}

/** Results beside each other: one row of crossings. */
function several(results: Readonly<Record<string, unknown>>): Q {
  const parts = Object.entries(results).map(([name, result]) => {
    if (result instanceof Write)
      return [name, result.single ? result.rows.first() : result.rows] as const;
    return [name, result instanceof Reading ? result.rows : result] as const;
  });
  return oneRow().select(() => Object.fromEntries(parts));
}

export function compile(runnable: unknown): Compiled {
  if (runnable instanceof Q) return ofQuery(runnable);
  if (runnable instanceof Ex) {
    const { decode, ...rest } = ofQuery(several({ value: runnable }));
    const only = (found: unknown) => (found as { value: unknown }).value;
    return { ...rest, decode: (result, isShort) => only(decode(result, isShort)) };
  }
  if (runnable instanceof Write) {
    return arranged(ofProgram(new Program([runnable], runnable)), runnable.arrange);
  }
  if (runnable instanceof Program) return arranged(ofProgram(runnable), runnable.arrange);
  if (runnable === null || typeof runnable !== 'object')
    throw new BuildError('a query, a statement or a program is wanted');
  return ofQuery(several(runnable as Readonly<Record<string, unknown>>));
}

function arranged(compiled: Compiled, arrange: Arrange | undefined): Compiled {
  if (arrange === undefined) return compiled;
  const { decode } = compiled;
  return { ...compiled, decode: (result, isShort) => arrange(decode(result, isShort) as never) };
}

function ofQuery(q: Q): Compiled {
  const { text, read, doc } = relationOf(q, new Map());
  const name = q.name ?? 'p0';
  const body = bounded(`{"statements":[{"kind":"query","name":"${name}","relation":${text}}]}`);
  return {
    name,
    kind: 'query',
    readOnly: true,
    body,
    relationBody: text,
    decode: (result, isShort) => (read ? read(result as never, isShort) : result),
    locate: locatorOf([{ name, doc }]),
  };
}

function ofProgram({ statements, result }: Program): Compiled {
  const names = new Map<unknown, string>();
  const all: Statement[] = [...statements];
  let selected = result as unknown;
  const isValue = selected instanceof Ex;
  if (!(selected instanceof Write) && !(selected instanceof Reading)) {
    if (selected instanceof Q) selected = new Reading(selected);
    else if (selected instanceof Ex) selected = new Reading(several({ value: selected }));
    else if (selected !== null && typeof selected === 'object')
      selected = new Reading(several(selected as Readonly<Record<string, unknown>>));
    if (selected !== undefined) all.push(selected as Statement);
  }
  const docs: { name: string; doc: Doc }[] = [];
  let read: ValueReader;
  const texts = all.map((statement, i) => {
    const own =
      statement instanceof Reading
        ? statement.guard === undefined
          ? statement.query.name
          : guardPrefix + statement.guard
        : statement.input.name;
    const name = own ?? `p${i}`;
    if (docs.some((doc) => doc.name === name))
      throw new BuildError(`two statements are called ${name}`);
    const part =
      statement instanceof Reading ? relationOf(statement.query, names) : inputOf(statement, names);
    docs.push({ name, doc: part.doc });
    names.set(statement, name);
    if (statement === selected)
      read = statement instanceof Reading ? part.read : writeReader(statement);
    if (statement instanceof Reading)
      return `{"kind":"query","name":"${name}","relation":${part.text}}`;
    return `{"kind":"${statement.kind}","name":"${name}","table":${JSON.stringify(statement.table.name)},"relation":${part.text}}`;
  });
  // The last statement may be a guard, and a program without a result still names one.
  const shown = names.get(selected ?? all[all.length - 1]);
  if (shown === undefined) throw new BuildError('a program has one statement at least');
  const chosen = all.length > 1 ? `"result":"${shown}",` : '';
  return {
    name: shown,
    kind: 'program',
    readOnly: all.every((statement) => statement instanceof Reading),
    body: bounded(`{${chosen}"statements":[${texts.join()}]}`),
    decode: (value, isShort) => {
      if (selected === undefined) return undefined;
      const found = read ? read(value as never, isShort) : value;
      return isValue ? (found as { value: unknown }).value : found;
    },
    locate: locatorOf(docs),
  };
}

/** Rows as the table has them for this client: what the server's has besides is left out. */
function writeReader({ schema, table, single }: Write): ValueReader {
  const { out } = new Doc().rel(scanOf(schema, table));
  if (single === undefined) return rowsReader(out, true);
  const row = rowReader(out, true) as NonNullable<ValueReader>;
  return (rows: readonly never[], isShort) => {
    if (rows.length > 0) return row(rows[0] as never, isShort);
    if (single === 'maybe') return null;
    throw new BuildError(`${table.name}: the row that was inserted did not come back`);
  };
}

function bounded(body: string): string {
  if (
    body.length <= programBytesMax / 3 ||
    new TextEncoder().encode(body).length <= programBytesMax
  )
    return body;
  throw new BuildError(
    `the program has more than ${programBytesMax} bytes: send it in parts, or use copy`,
  );
}

/** `/statements/0/relation/nodes/n3/…` → `filter (n3) of "feed"`. */
function locatorOf(docs: readonly { readonly name: string; readonly doc: Doc }[]) {
  return (pointer: string) => {
    const found = docs[Number(/^\/statements\/(\d+)/.exec(pointer)?.[1] ?? 0)];
    if (found === undefined) return '';
    const node = /\/nodes\/(n\d+)/.exec(pointer)?.[1];
    const step = found.doc.steps.find((one) => one.node === node)?.step;
    return step === undefined ? `"${found.name}"` : `${step} ${node} of "${found.name}"`;
  };
}

interface Parameter {
  readonly code: Code;
  readonly nullable: boolean;
}

/** Compiles once; each call puts its values into the text. */
export function prepare(
  name: string,
  params: Params,
  make: (values: never) => unknown,
): (values: Row) => Compiled {
  const all = Object.entries(params as Readonly<Record<string, Parameter>>);
  const marks = record(
    all.map(([member, { code, nullable }], i) => [
      member,
      new Ex({ kind: 'param', at: i, of: all }, code, nullable),
    ]),
  );
  const compiled = whilePreparing(all, () => compile(named(name, make(marks as never))));
  const { body: text, relationBody: relationText } = compiled;
  const body = segments(text);
  const relationBody = relationText === undefined ? undefined : segments(relationText);
  return (values) => {
    const written = all.map(([member, param]) => valueText(member, param, given(values, member)));
    return {
      ...compiled,
      name,
      body: body(written),
      relationBody: relationBody?.(written),
    };
  };
}

/** A statement is called as what it reads; a program of several keeps the names that they have. */
function named(name: string, made: unknown): unknown {
  if (made instanceof Q) return made.named(name);
  if (!(made instanceof Write)) return made;
  const { kind, schema, table, input, single } = made;
  return new Write(kind, schema, table, input.named(name), single);
}

function valueText(member: string, { code, nullable }: Parameter, value: unknown): string {
  if (value === undefined || (value === null && !nullable))
    throw new BuildError(`${member} is missing${nullable ? '' : ', and takes no NULL'}`);
  return literalText(code, value, member);
}

/** The pieces between the values. */
function segments(text: string): (written: readonly string[]) => string {
  const parts = text.split(paramMark).map((part, i) => (i % 2 === 0 ? part : Number(part)));
  return (written) => {
    let made = '';
    for (const part of parts) made += typeof part === 'string' ? part : written[part];
    return bounded(made);
  };
}
