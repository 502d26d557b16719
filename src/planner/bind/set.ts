/** Bag and set operators: inputs independent of each other and compatible by position, name and scalar type (lir.md §4). */

import type { Steps } from '#base';
import type { ConcatenateNode, SetNode } from '#lir';
import { isScalarType } from '#value';
import type { BoundColumn, BoundRelation } from './bound.ts';
import { duplicateName } from './columns.ts';
import { type BindContext, quoted } from './context.ts';
import { ownScope } from './label.ts';
import type { Bound, Place } from './place.ts';
import { bindRelation } from './relation.ts';
import { scalarIds } from './row-passing.ts';
import { sameType } from './types.ts';

export function* bindConcatenate(
  context: BindContext,
  id: string,
  node: ConcatenateNode,
  place: Place,
): Steps<Bound> {
  const inputs = yield* bindInputs(
    context,
    node.inputs.map((input) => ({ input, place })),
  );
  yield* checkCompatible(context, id, node, inputs);
  const [first] = inputs as readonly [BoundRelation];
  const columns = first.columns.map((column, i) =>
    context.column({ ...column, nullable: inputs.some(({ columns }) => columns[i]?.nullable) }),
  );
  const scopes = ownScope(context, { id, part: node }, node.scope, columns);
  const rowsMax = inputs.reduce((sum, input) => sum + input.rowsMax, 0);
  const facts = { columns, ordered: false, rowsMax, key: undefined };
  return { relation: { kind: 'concatenate', node: id, inputs, ...facts }, scopes, pins: undefined };
}

export function* bindSet(
  context: BindContext,
  id: string,
  node: SetNode,
  place: Place,
): Steps<Bound> {
  const { kind, quantifier } = node;
  const refusal = kind === 'except' ? 'on the right of except' : undefined;
  const right = { ...place, frontierRefusal: place.frontierRefusal ?? refusal };
  const inputs = yield* bindInputs(context, [
    { input: node.left, place },
    { input: node.right, place: right },
  ]);
  yield* checkCompatible(context, id, node, inputs);
  const [left, other] = inputs as readonly [BoundRelation, BoundRelation];
  const columns = left.columns.map((column) => context.column(column));
  const scopes = ownScope(context, { id, part: node }, node.scope, columns);
  const rowsMax = kind === 'except' ? left.rowsMax : Math.min(left.rowsMax, other.rowsMax);
  const key = quantifier === 'distinct' ? scalarIds({ columns }) : undefined;
  const facts = { columns, ordered: false, rowsMax, key };
  const relation = { kind, node: id, left, right: other, quantifier, ...facts };
  return { relation, scopes, pins: undefined };
}

/** Binds the inputs in order; the scopes of the earlier ones may not be used by the later. */
function* bindInputs(
  context: BindContext,
  inputs: readonly { readonly input: string; readonly place: Place }[],
): Steps<readonly BoundRelation[]> {
  const earlier: Bound['scopes'] = new Map();
  const relations: BoundRelation[] = [];
  for (const { input, place } of inputs) {
    const enclosing = { kind: 'sibling', scopes: earlier, around: place.enclosing } as const;
    const bound = yield* bindRelation(context, input, { ...place, enclosing });
    for (const [label, scope] of bound.scopes) earlier.set(label, scope);
    relations.push(bound.relation);
  }
  return relations;
}

function* checkCompatible(
  context: BindContext,
  id: string,
  node: ConcatenateNode | SetNode,
  inputs: readonly BoundRelation[],
): Steps<void> {
  const [first] = inputs as readonly [BoundRelation];
  const repeated = duplicateName(first.columns);
  if (repeated !== undefined) {
    const detail = `duplicate column ${quoted(repeated)} in an input of ${node.kind}`;
    throw context.reject(node, 'projection_collision', detail, { node: id });
  }
  for (let i = 0; i < inputs.length; i++) {
    const pause = context.pause();
    if (pause !== undefined) yield pause;
    const problem = incompatibility(first.columns, (inputs[i] as BoundRelation).columns);
    if (problem === undefined) continue;
    const detail = `input ${i} of ${node.kind}: ${problem}`;
    throw context.reject(node, 'type_mismatch', detail, { node: id, role: `input ${i}` });
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
