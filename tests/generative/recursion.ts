/** Recursive bindings that end: counters up to a small bound, walks over the rows of a table, or both at once. */

import type { Binding, Expression, Node } from '#lir';
import type { ScalarType } from '#value';
import { aligned } from './combine.ts';
import { shapeColumns } from './schema.ts';
import { columnsOf, type Draft, type GeneratedColumn, use } from './scope.ts';

type Recursive = Extract<Binding, { kind: 'recursive' }>;

export function recursiveOf(draft: Draft, name: string): Recursive {
  const { choices } = draft;
  const walk = choices.oneIn(2) ? walkOf(draft) : undefined;
  const isCounted = walk === undefined || choices.oneIn(2);
  const types: readonly ScalarType[] = [
    ...(isCounted ? (['int64'] as const) : []),
    ...(walk !== undefined ? [walk.type] : choices.oneIn(2) ? (['text'] as const) : []),
  ];
  // NULL never widens a column that starts without it in half of them.
  const isSolid = choices.oneIn(2);
  const anchor = aligned({ draft, outer: [], depth: choices.below(2) }, types, isSolid);
  const columns = types.map(
    (type, i): GeneratedColumn => ({ name: `u${i}`, type, nullable: true }),
  );
  const frontier = draft.leaf(
    (scope) => ({ kind: 'recursive_ref', binding: name, scope }),
    columns,
  );
  const scope = frontier.scopes[0]?.label as string;
  const col = (i: number) => ({ kind: 'col', scope, column: `u${i}` }) as const;
  let input = isCounted ? draft.add(below(draft, frontier.id, col(0))) : frontier.id;
  if (choices.oneIn(6)) input = draft.add({ kind: 'distinct', input });
  const fields = types.map((_, i) => ({ as: `u${i}`, expr: col(i) as Expression }));
  if (isCounted)
    fields[0] = { as: 'u0', expr: { kind: 'binary', op: 'add', left: col(0), right: int('1') } };
  if (walk !== undefined) {
    const at = types.length - 1;
    input = walk.join(input, col(at));
    fields[at] = { as: `u${at}`, expr: walk.to };
  }
  // Columns are matched by name.
  const ordered = choices.oneIn(4) ? fields.toReversed() : fields;
  let step = draft.add({ kind: 'project', input, fields: ordered });
  if (choices.oneIn(8)) step = draft.add({ kind: 'distinct', input: step });
  draft.bindings.set(name, columns);
  // A walk that keeps all rows would multiply them with each step.
  const accumulation = walk === undefined ? choices.pick(['new', 'all'] as const) : 'new';
  return { kind: 'recursive', anchor: anchor.id, step, accumulation };
}

function int(value: string): Expression {
  return { kind: 'lit', value: { type: 'int64', value } };
}

function below(draft: Draft, input: string, col: Expression): Node {
  const bound = int(draft.choices.pick(['3', '5', '8']));
  const predicate: Expression = {
    kind: 'binary',
    op: 'and',
    left: { kind: 'binary', op: 'gte', left: col, right: int('0') },
    right: { kind: 'binary', op: 'lt', left: col, right: bound },
  };
  return { kind: 'filter', input, predicate };
}

/** From one column of a table to another of its type. */
function walkOf(draft: Draft) {
  const { choices } = draft;
  const table = choices.pick(draft.schema.tables);
  const scan = draft.leaf(
    (scope) => ({ kind: 'scan', table: table.name, scope }),
    shapeColumns(table),
  );
  const type = choices.pick(table.columns).type;
  const columns = columnsOf(scan.scopes, type);
  const [from, to] = [use(choices.pick(columns)), use(choices.pick(columns))];
  const join = (frontier: string, key: Expression): string => {
    const isLast = choices.oneIn(3);
    const [left, right] = isLast ? [scan.id, frontier] : [frontier, scan.id];
    const kind = isLast ? 'inner' : choices.pick(['inner', 'inner', 'left'] as const);
    const on: Expression = { kind: 'binary', op: 'eq', left: from, right: key };
    return draft.add({ kind: 'join', left, right, join: kind, on });
  };
  return { type, to, join };
}
