/** Rows that are made of each row: fields by name. */

import { BuildError } from '../client/build-error.ts';
import {
  membersOf,
  type Out,
  oneReader,
  type Rel,
  rowReader,
  rowsReader,
  scoped,
} from './columns.ts';
import { columnEx } from './expression.ts';
import { jsonText } from './literals.ts';
import type { Nodes } from './nodes.ts';
import { Ex } from './parts.ts';
import { asksForOne, Q } from './query.ts';
import { readerOf, type ValueReader } from './table.ts';

/** `fields` is what the callback has given: expressions and queries by name. */
export function projectRel(doc: Nodes, input: Rel, fields: unknown): Rel {
  const entries = fieldsOf(fields);
  const scope = doc.label();
  const out: Out[] = [];
  const node = doc.node('project', () => {
    const texts = entries.map(([name, value]) => {
      const { text, read, ex } = field(doc, name, value);
      const isScalar = ex !== undefined;
      const code = ex?.code ?? 't';
      const column = columnEx([scope, name, doc.id], code, ex?.nullable ?? true);
      if (!isScalar) column.nested = { read };
      out.push({ name, member: name, ex: column, read, isScalar });
      return `{"as":${jsonText(name)},"expr":${text}}`;
    });
    return `"input":"${input.node}","scope":"${scope}","fields":[${texts.join()}]`;
  });
  return { node, args: [membersOf(out)], out, key: undefined };
}

function fieldsOf(fields: unknown): readonly (readonly [string, unknown])[] {
  if (
    fields === null ||
    typeof fields !== 'object' ||
    fields instanceof Ex ||
    fields instanceof Q
  ) {
    throw new BuildError('select wants an object of expressions and queries');
  }
  const entries = Object.entries(fields);
  if (entries.length === 0) throw new BuildError('select wants one field at least');
  return entries;
}

/** A value of a projection: an expression, or nested rows. */
function field(
  doc: Nodes,
  name: string,
  value: unknown,
): { text: string; read: ValueReader; ex?: Ex } {
  if (value instanceof Ex) {
    const { nested } = value;
    if (nested) return { text: doc.ex(value), read: nested.read };
    return { text: doc.ex(value), read: readerOf(value.code, name), ex: value };
  }
  if (value instanceof Q) return nestedRows(doc, name, value);
  if (value === null || value === undefined)
    throw new BuildError(`${name} is ${value}: use lit(type, null)`);
  throw new BuildError(`${name} is neither an expression nor a query: use lit(type, value)`);
}

function nestedRows(doc: Nodes, name: string, q: Q): { text: string; read: ValueReader } {
  if (asksForOne(q))
    throw new BuildError(
      `${name}: one() holds for a whole result only: use first(), or ensure of a program`,
    );
  const { node, out } = doc.shaped(q);
  if (q.card === 'many')
    return { text: `{"kind":"array","node":"${node}"}`, read: rowsReader(out) };
  return {
    text: `{"kind":"first","node":"${node}"}`,
    read: oneReader(rowReader(out), q.card, name),
  };
}

/** All columns, one by one. */
export function allRel(doc: Nodes, input: Rel, scope = ''): Rel {
  const { out } = input;
  if (input.isTwice) {
    throw new BuildError('both sides of the join have a column of one name: use select');
  }
  return doc.over(input, 'project', () => {
    const fields = out.map(({ name, ex }) => `{"as":${jsonText(name)},"expr":${doc.ex(ex)}}`);
    return `,${scope}"fields":[${fields.join()}]`;
  });
}

/** The same behind a step whose rows are seen by its own scope only. */
export function renamedRel(doc: Nodes, input: Rel): Rel {
  const scope = doc.label();
  return scoped(allRel(doc, input, `"scope":"${scope}",`).node, scope, input.out, doc.id);
}
