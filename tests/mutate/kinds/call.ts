/** Mutations of calls: arguments in the wrong order, and a function taken for its neighbour. */

import {
  type CallExpression,
  type Expression,
  isPropertyAccessExpression,
  type NewExpression,
} from 'typescript/unstable/ast';
import type { Edit } from '../mutation.ts';

const neighbours: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
  push: 'unshift',
  shift: 'pop',
  pop: 'shift',
  find: 'findLast',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
};

/** Calls that give back what they are called on, but for what they were called for. */
const dropped = new Set(['filter', 'toSorted', 'toReversed', 'sort', 'reverse', 'slice', 'trim']);

export function ofCall(node: CallExpression): Edit[] {
  const isSymmetric = symmetric.has(node.expression.getText());
  return [...(isSymmetric ? [] : ofArguments(node.arguments)), ...ofCallee(node)];
}

/** The order of their arguments makes no difference. */
const symmetric = new Set(['Math.min', 'Math.max', 'Math.imul', 'equalBytes', 'Promise.race']);

export function ofNew(node: NewExpression): Edit[] {
  return ofArguments(node.arguments ?? []);
}

/** Two that stand beside each other; whether their types are the same says the type checker. */
function ofArguments(given: readonly Expression[]): Edit[] {
  return given.slice(1).flatMap((second, index): Edit[] => {
    const first = given[index] as Expression;
    const [one, other] = [first.getText(), second.getText()];
    if (one === other) return [];
    const text = `${other}, ${one}`;
    return [{ kind: 'argument order', start: first.getStart(), end: second.end, text }];
  });
}

function ofCallee({ expression, end }: CallExpression): Edit[] {
  if (!isPropertyAccessExpression(expression)) return [];
  const { name } = expression;
  const neighbour = neighbours[name.text];
  if (neighbour !== undefined) {
    return [{ kind: 'other function', start: name.getStart(), end: name.end, text: neighbour }];
  }
  if (!dropped.has(name.text)) return [];
  return [{ kind: 'other function', start: expression.expression.end, end, text: '' }];
}
