/** Rows of two relations beside each other or in one list, and rows that stand for groups of others. */

import { BuildError } from '../client/build-error.ts';
import {
  membersOf,
  nullableOut,
  type Out,
  outOf,
  type Rel,
  sameColumns,
  scoped,
  widened,
} from './columns.ts';
import { columnEx } from './expression.ts';
import { jsonText } from './literals.ts';
import type { Nodes } from './nodes.ts';
import { type Asked, Ex, type StepBeside } from './parts.ts';
import { exsOf } from './rows.ts';
import type { Call } from './table.ts';

/** `sides`: how many arguments of callbacks are rows of the left side. */
export function joinRel(
  doc: Nodes,
  [a, b]: readonly [Rel, Rel],
  sides: number,
  { join, on }: { readonly join: 'inner' | 'left'; readonly on: Call },
): Rel {
  const rows = a.args.slice(0, sides);
  const right = b.args.slice(0, 1);
  const node = doc.node(
    'join',
    () =>
      `"left":"${a.node}","right":"${b.node}","join":"${join}","on":${doc.ex(on(...rows, ...right))}`,
  );
  const padded = join === 'left' ? b.out.map(nullableOut) : b.out;
  const last = join === 'left' ? [membersOf(padded)] : right;
  const key = a.key && b.key && [...a.key, ...b.key];
  const out = [...a.out, ...padded];
  const isTwice = new Set(out.map(({ name }) => name)).size < out.length;
  return { node, args: [...rows, ...last], out, key, isTwice };
}

/** How many arguments of callbacks are rows; behind them come relations. */
export function sidesOf({ step }: Asked): number {
  switch (step.kind) {
    case 'join':
      return sidesOf(step.input) + 1;
    case 'where':
    case 'whereIn':
    case 'order':
    case 'slice':
    case 'same':
    case 'all':
    case 'distinct':
      return sidesOf(step.input);
    default:
      return 1;
  }
}

export function setRel(
  doc: Nodes,
  [a, b]: readonly [Rel, Rel],
  step: Exclude<StepBeside, { readonly kind: 'join' }>,
): Rel {
  sameColumns(a, b, step.kind);
  const scope = doc.label();
  const isUnion = step.kind === 'union';
  const node = doc.node(isUnion ? 'concatenate' : step.kind, () =>
    step.kind === 'union'
      ? `"inputs":["${a.node}","${b.node}"],"scope":"${scope}"`
      : `"left":"${a.node}","right":"${b.node}","quantifier":"${step.quantifier}","scope":"${scope}"`,
  );
  return scoped(node, scope, isUnion ? widened(a, b) : a.out, doc.id);
}

export function groupRel(doc: Nodes, input: Rel, keys: Call | undefined, folds: Call): Rel {
  const scope = doc.label();
  const out: Out[] = [];
  const add = (name: string, { code, nullable }: Ex) =>
    out.push(outOf(name, name, columnEx([scope, name, doc.id], code, nullable)));
  let keyCount = 0;
  const node = doc.node('aggregate', () => {
    const groups = exsOf(keys?.(...input.args)).map(([name, ex]) => {
      add(name, ex);
      return `{"expr":${doc.ex(ex)},"as":${jsonText(name)}}`;
    });
    keyCount = groups.length;
    const folded: readonly [string, unknown][] = Object.entries(Object(folds(...input.args)));
    const aggs = folded.map(([name, ex]) => {
      if (!(ex instanceof Ex) || ex.term.kind !== 'fold')
        throw new BuildError(`${name} is no count, sum, avg, min or max`);
      add(name, ex);
      const { fn, of } = ex.term;
      return `{"fn":"${fn}","as":${jsonText(name)}${of ? `,"arg":${doc.ex(of)}` : ''}}`;
    });
    if (out.length === 0) throw new BuildError('group wants a key or a fold');
    const members = [`"input":"${input.node}"`, `"scope":"${scope}"`];
    if (groups.length > 0) members.push(`"groups":[${groups.join()}]`);
    if (aggs.length > 0) members.push(`"aggs":[${aggs.join()}]`);
    return members.join();
  });
  const key = keys && out.slice(0, keyCount).map(({ ex }) => ex);
  return { node, args: [membersOf(out)], out, key };
}
