/** Binds bag and set operators. Their inputs are independent of each other, and compatible by position, name and scalar type (docs/lir.md §5). */

import type { Steps } from '#base';
import type { ConcatenateNode, SetNode } from '#lir';
import { isScalarType } from '#value';
import type { BoundColumn, BoundRelation } from './bound.ts';
import { duplicateName } from './columns.ts';
import { quoted } from './context.ts';
import type { NodeSite } from './node-site.ts';
import type { BoundInScope } from './relation-context.ts';
import { scalarIds } from './row-passing.ts';
import { sameType } from './types.ts';

export function* bindConcatenate(at: NodeSite, node: ConcatenateNode): Steps<BoundInScope> {
  const inputs = yield* bindInputs(
    at,
    node.inputs.map((input) => ({ input })),
  );
  yield* checkCompatible(at, node.kind, inputs);
  const [first] = inputs as readonly [BoundRelation];
  const columns = first.columns.map((column, i) =>
    at.context.column({ ...column, nullable: inputs.some(({ columns }) => columns[i]?.nullable) }),
  );
  const scopes = at.ownScope(columns);
  const rowsMax = inputs.reduce((sum, input) => sum + input.rowsMax, 0);
  const facts = { columns, ordered: false, rowsMax, key: undefined };
  const relation: BoundRelation = { kind: 'concatenate', node: at.id, inputs, ...facts };
  return { relation, scopes, pins: undefined };
}

export function* bindSet(at: NodeSite, node: SetNode): Steps<BoundInScope> {
  const { kind, quantifier } = node;
  const refusal = kind === 'except' ? 'on the right of except' : undefined;
  const inputs = yield* bindInputs(at, [{ input: node.left }, { input: node.right, refusal }]);
  yield* checkCompatible(at, kind, inputs);
  const [left, other] = inputs as readonly [BoundRelation, BoundRelation];
  const columns = left.columns.map((column) => at.context.column(column));
  const scopes = at.ownScope(columns);
  const rowsMax = kind === 'except' ? left.rowsMax : Math.min(left.rowsMax, other.rowsMax);
  const key = quantifier === 'distinct' ? scalarIds({ columns }) : undefined;
  const facts = { columns, ordered: false, rowsMax, key };
  const relation = { kind, node: at.id, left, right: other, quantifier, ...facts };
  return { relation, scopes, pins: undefined };
}

/** Binds the inputs in order. An input may not use the scopes of the earlier ones. */
function* bindInputs(
  at: NodeSite,
  inputs: readonly { readonly input: string; readonly refusal?: string | undefined }[],
): Steps<readonly BoundRelation[]> {
  const earlier: BoundInScope['scopes'] = new Map();
  const relations: BoundRelation[] = [];
  for (const { input, refusal } of inputs) {
    const bound = yield* at.besides(earlier).input(input, refusal);
    for (const [label, scope] of bound.scopes) earlier.set(label, scope);
    relations.push(bound.relation);
  }
  return relations;
}

function* checkCompatible(
  at: NodeSite,
  kind: (ConcatenateNode | SetNode)['kind'],
  inputs: readonly BoundRelation[],
): Steps<void> {
  const [first] = inputs as readonly [BoundRelation];
  const repeated = duplicateName(first.columns);
  if (repeated !== undefined) {
    const detail = `duplicate column ${quoted(repeated)} in an input of ${kind}`;
    throw at.reject('projection_collision', detail);
  }
  for (let i = 0; i < inputs.length; i++) {
    const pause = at.context.pause();
    if (pause !== undefined) yield pause;
    const problem = incompatibility(first.columns, (inputs[i] as BoundRelation).columns);
    if (problem === undefined) continue;
    const detail = `input ${i} of ${kind}: ${problem}`;
    throw at.reject('type_mismatch', detail, { role: `input ${i}` });
  }
}

function incompatibility(
  wanted: readonly BoundColumn[],
  given: readonly BoundColumn[],
): string | undefined {
  if (wanted.length !== given.length) {
    return `expected ${wanted.length} columns, got ${given.length}`;
  }
  for (let i = 0; i < wanted.length; i++) {
    const want = wanted[i] as BoundColumn;
    const have = given[i] as BoundColumn;
    const title = `column ${i}`;
    if (!isScalarType(have.type)) return `${title} is of type ${have.type.kind}, not a scalar`;
    if (want.name !== have.name) {
      return `${title} must be named ${quoted(want.name)}, got ${quoted(have.name)}`;
    }
    if (!sameType(want.type, have.type)) {
      return `${title} must be ${want.type.kind}, got ${have.type.kind}`;
    }
  }
  return undefined;
}
