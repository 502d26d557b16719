/** All mutations of a source file, in the order of the text. */

import {
  isArrowFunction,
  isAwaitExpression,
  isBigIntLiteral,
  isBinaryExpression,
  isBlock,
  isCallExpression,
  isConditionalExpression,
  isExpressionStatement,
  isForOfStatement,
  isForStatement,
  isFunctionDeclaration,
  isIfStatement,
  isMethodDeclaration,
  isNewExpression,
  isNumericLiteral,
  isPostfixUnaryExpression,
  isReturnStatement,
  type Node,
  type SourceFile,
  SyntaxKind,
} from 'typescript/unstable/ast';
import type { Edit } from '../mutation.ts';
import { ofBinary } from './binary.ts';
import { ofCall, ofNew } from './call.ts';
import { ofBigInt, ofBoolean, ofNumber } from './constant.ts';
import { negated } from './negated.ts';
import { ofBody, ofExpressionStatement, ofIf, ofJump, ofLoop } from './statement.ts';

export function editsOf(file: SourceFile): Edit[] {
  const edits: Edit[] = [];
  const visit = (node: Node): void => {
    if (!runs(node)) return;
    edits.push(...ofStatements(node), ...ofExpressions(node));
    node.forEachChild(visit);
  };
  visit(file);
  return edits;
}

/** Types, imports and exports do not run; an invariant says what never happens, so that no test can see one missing. */
function runs(node: Node): boolean {
  const isType = node.kind >= SyntaxKind.FirstTypeNode && node.kind <= SyntaxKind.LastTypeNode;
  return !isType && !silent.includes(node.kind) && !isInvariant(node);
}

const silent: readonly SyntaxKind[] = [
  SyntaxKind.ImportDeclaration,
  SyntaxKind.ExportDeclaration,
  SyntaxKind.InterfaceDeclaration,
  SyntaxKind.TypeAliasDeclaration,
];

function isInvariant(node: Node): boolean {
  return (
    isExpressionStatement(node) &&
    isCallExpression(node.expression) &&
    /^(?:invariant|unreachable)$/.test(node.expression.expression.getText())
  );
}

function ofStatements(node: Node): Edit[] {
  if (isIfStatement(node)) return ofIf(node);
  if (isExpressionStatement(node)) return ofExpressionStatement(node);
  if (isForStatement(node) || isForOfStatement(node)) return ofLoop(node);
  if (isFunctionDeclaration(node) || isMethodDeclaration(node)) return ofBody(node.body);
  if (isReturnStatement(node)) return node.expression === undefined ? [] : negated(node.expression);
  const isJump =
    node.kind === SyntaxKind.ContinueStatement || node.kind === SyntaxKind.BreakStatement;
  return isJump ? ofJump(node) : [];
}

function ofExpressions(node: Node): Edit[] {
  if (isBinaryExpression(node)) return ofBinary(node);
  if (isCallExpression(node)) return ofCall(node);
  if (isNewExpression(node)) return ofNew(node);
  if (isNumericLiteral(node)) return ofNumber(node);
  if (isBigIntLiteral(node)) return ofBigInt(node);
  if (isConditionalExpression(node)) return negated(node.condition);
  if (isArrowFunction(node)) return isBlock(node.body) ? ofBody(node.body) : negated(node.body);
  if (isAwaitExpression(node)) {
    const { expression } = node;
    return [
      { kind: 'missing await', start: node.getStart(), end: expression.getStart(), text: '' },
    ];
  }
  if (isPostfixUnaryExpression(node)) {
    const text = node.operator === SyntaxKind.PlusPlusToken ? '--' : '++';
    return [{ kind: 'arithmetic', start: node.operand.end, end: node.end, text }];
  }
  const isBoolean = node.kind === SyntaxKind.TrueKeyword || node.kind === SyntaxKind.FalseKeyword;
  return isBoolean ? ofBoolean(node) : [];
}
