/** Walks the edges of the relation graph: the inputs of nodes and the parts of expressions. Nothing recurses, because documents may be deep. */

import { unreachable } from '#base';
import type { Binding, CrossingKind, Expression, Node, Query } from './query.ts';

/** An expression that evaluates a relation for the current row. */
export type Crossing = Extract<Expression, { readonly kind: CrossingKind }>;

/** A node of a tree of relations, in a document, bound or planned. The node reads other nodes only through these members. */
interface Reading<Input> {
  readonly kind: string;
  readonly input?: Input;
  readonly left?: Input;
  readonly right?: Input;
  readonly inputs?: readonly Input[];
}

/** Returns the relations that `node` reads directly (ids, in a document), left to right, without those of crossings. */
export function inputsOf<Input>({ input, left, right, inputs }: Reading<Input>): readonly Input[] {
  if (input !== undefined) return [input];
  if (left !== undefined && right !== undefined) return [left, right];
  return inputs ?? [];
}

/** Returns the expressions of `node` itself, in document order. */
export function expressionsOf(node: Node): readonly Expression[] {
  switch (node.kind) {
    case 'filter':
      return [node.predicate];
    case 'join':
      return [node.on];
    case 'project':
      return node.fields?.map((field) => field.expr) ?? [];
    case 'aggregate':
      return [
        ...(node.groups ?? []).map((group) => group.expr),
        ...(node.aggs ?? []).flatMap((term) => term.arg ?? []),
      ];
    case 'order':
      return node.terms.map((term) => term.expr);
    default:
      return [];
  }
}

/** Returns the direct parts of an expression, left to right. */
export function operandsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'lit':
    case 'col':
    case 'exists':
    case 'first':
    case 'scalar':
    case 'array':
    case 'claim':
      return [];
    case 'unary':
    case 'cast':
      return [expression.expr];
    case 'binary':
      return [expression.left, expression.right];
    case 'branch':
      return [...expression.branches.flatMap((arm) => [arm.when, arm.then]), expression.else];
    case 'coalesce':
    case 'call':
      return expression.args;
    case 'text_match':
      return [expression.value];
    default:
      return unreachable(expression);
  }
}

export function isCrossing(expression: Expression): expression is Crossing {
  const { kind } = expression;
  return kind === 'exists' || kind === 'first' || kind === 'scalar' || kind === 'array';
}

/** Visits `expression` and all of its parts, an operator before its operands, left to right. */
export function walkExpression(expression: Expression, visit: (part: Expression) => void): void {
  const open: Expression[] = [expression];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    visit(part);
    const operands = operandsOf(part);
    for (let i = operands.length - 1; i >= 0; i--) open.push(operands[i] as Expression);
  }
}

/** Returns all crossings in the expressions of a node, in document order. */
export function crossingsOf(node: Node): readonly Crossing[] {
  const crossings: Crossing[] = [];
  for (const expression of expressionsOf(node)) {
    walkExpression(expression, (part) => {
      if (isCrossing(part)) crossings.push(part);
    });
  }
  return crossings;
}

/** Returns the nodes at which the bodies of a binding start. */
export function bindingRoots(binding: Binding): readonly string[] {
  return binding.kind === 'derived' ? [binding.node] : [binding.anchor, binding.step];
}

/** Looks up a node without finding inherited members (`constructor`, `toString`). */
export function nodeOf(query: Query, id: string): Node | undefined {
  return Object.hasOwn(query.nodes, id) ? query.nodes[id] : undefined;
}

/** Looks up a local binding without finding inherited members. */
export function bindingOf(query: Query, name: string): Binding | undefined {
  const { bindings } = query;
  return bindings !== undefined && Object.hasOwn(bindings, name) ? bindings[name] : undefined;
}
