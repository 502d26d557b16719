/** Mutations of whole statements: one that is missing, one too many, a loop that does nothing. */

import {
  type Expression,
  type ExpressionStatement,
  type ForOfStatement,
  type ForStatement,
  type IfStatement,
  isAwaitExpression,
  isBinaryExpression,
  isBlock,
  isCallExpression,
  type Node,
  type Statement,
  SyntaxKind,
} from 'typescript/unstable/ast';
import type { Edit } from '../mutation.ts';
import { negated } from './negated.ts';

export function ofIf(node: IfStatement): Edit[] {
  const edits = negated(node.expression);
  if (node.elseStatement === undefined && isLeaving(node.thenStatement)) {
    edits.push({ kind: 'check removed', start: node.getStart(), end: node.end, text: '{}' });
  }
  return edits;
}

const leaving: readonly SyntaxKind[] = [
  SyntaxKind.ThrowStatement,
  SyntaxKind.ReturnStatement,
  SyntaxKind.ContinueStatement,
  SyntaxKind.BreakStatement,
];

function isLeaving(statement: Statement): boolean {
  const only = isBlock(statement) ? statement.statements.at(-1) : statement;
  return only !== undefined && leaving.includes(only.kind);
}

export function ofExpressionStatement(node: ExpressionStatement): Edit[] {
  if (!hasEffect(node.expression)) return [];
  return [{ kind: 'statement removed', start: node.getStart(), end: node.end, text: ';' }];
}

function hasEffect(expression: Expression): boolean {
  if (isAwaitExpression(expression)) return hasEffect(expression.expression);
  if (isCallExpression(expression)) return expression.expression.kind !== SyntaxKind.SuperKeyword;
  if (isBinaryExpression(expression)) return !isField(expression.left);
  return expression.kind === SyntaxKind.PostfixUnaryExpression;
}

/** `this.parts = parts` of a constructor: nothing runs without it. */
function isField(target: Expression): boolean {
  for (let node: Node = target; node.kind !== SyntaxKind.SourceFile; node = node.parent) {
    if (node.kind === SyntaxKind.Constructor) return true;
  }
  return false;
}

export function ofLoop({ statement }: ForStatement | ForOfStatement): Edit[] {
  return [{ kind: 'empty loop', start: statement.getStart(), end: statement.end, text: '{}' }];
}

/** The body of a function that need not return anything. */
export function ofBody(body: Node | undefined): Edit[] {
  if (body === undefined || !isBlock(body)) return [];
  const first = body.statements[0];
  if (first === undefined || leaving.includes(first.kind)) return [];
  const start = first.getStart();
  return [{ kind: 'early return', start, end: start, text: 'return; ' }];
}

export function ofJump(node: Node): Edit[] {
  return [{ kind: 'jump removed', start: node.getStart(), end: node.end, text: ';' }];
}
