/** Rows that stay what they are: values that the query brings, and a filter, an order or a cut of those of another node. */

import { BuildError } from '../client/build-error.ts';
import { typeOf } from '../wire/codec.ts';
import { membersOf, outOf, type Rel } from './columns.ts';
import { columnEx, literal } from './expression.ts';
import { cellText, jsonText, padded } from './literals.ts';
import type { Nodes } from './nodes.ts';
import { Ex, type LookedUp, type OrderTerm, type RowsParts } from './parts.ts';
import { equalities } from './query.ts';

export function rowsRel(doc: Nodes, { columns, cells }: RowsParts): Rel {
  const scope = doc.label();
  const node = doc.node('rows', () => {
    const heads = columns.map(
      ({ name, code, nullable }) =>
        `{"name":${jsonText(name)},"type":"${typeOf(code)}"${nullable ? ',"nullable":true' : ''}}`,
    );
    const lines = cells.map(
      (row) => `[${row.map((cell, i) => cellText(cell, columns[i]?.name)).join()}]`,
    );
    return `"scope":"${scope}","columns":[${heads.join()}],"rows":[${lines.join()}]`;
  });
  const out = columns.map(({ name, code, nullable, member = name }) =>
    outOf(name, member, columnEx([scope, name, doc.id], code, nullable)),
  );
  return { node, args: [membersOf(out)], out, key: undefined };
}

/** `predicate` is called within the node: literals of it are the node's. */
export function filterRel(doc: Nodes, input: Rel, predicate: () => unknown): Rel {
  return doc.over(input, 'filter', () => {
    const test = predicate();
    if (!(test instanceof Ex) || test.code !== 'b')
      throw new BuildError('where wants a truth value');
    return `,"predicate":${doc.ex(test)}`;
  });
}

export function orderRel(doc: Nodes, input: Rel, terms: readonly OrderTerm[]): Rel {
  return doc.over(input, 'order', () => {
    const texts = terms.map(
      ({ ex, desc }) => `{"expr":${doc.ex(ex)}${desc ? ',"desc":true' : ''}}`,
    );
    return `,"terms":[${texts.join()}]`;
  });
}

export function sliceRel(doc: Nodes, input: Rel, limit?: number, offset?: number): Rel {
  return doc.over(input, 'slice', () => {
    const skipped = offset === undefined ? '' : `,"offset":${offset}`;
    return limit === undefined ? skipped : `${skipped},"limit":${limit}`;
  });
}

/** The values as rows that `input` is joined with: a lookup by key for each. */
export function whereInRel(doc: Nodes, input: Rel, { of, values }: LookedUp): Rel {
  const found = of(...input.args);
  const isOne = found instanceof Ex;
  const named = exsOf(isOne ? { v: found } : found);
  const cells = padded(values).map((value) =>
    named.map(([name, { code }]) => literal(code, isOne ? value : Object(value)[name])),
  );
  const columns = named.map(([name, { code }]) => ({ name, code, nullable: false }));
  const list = doc.over(rowsRel(doc, { columns, cells }), 'distinct', () => '');
  const node = doc.node('join', () => {
    const test = equalities(list.out.map(({ ex }, i) => [ex, named[i]?.[1]]));
    return `"left":"${list.node}","right":"${input.node}","join":"inner","on":${doc.ex(test)}`;
  });
  return { ...input, node };
}

/** What a callback has given: expressions by name. */
export function exsOf(found: unknown): readonly (readonly [name: string, ex: Ex])[] {
  const entries: readonly [string, unknown][] = Object.entries(Object(found));
  return entries.map(([name, ex]) => {
    if (!(ex instanceof Ex)) throw new BuildError('an expression is wanted');
    return [name, ex];
  });
}
