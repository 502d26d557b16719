/** A condition and its opposite. */

import {
  type Expression,
  isBinaryExpression,
  isPrefixUnaryExpression,
  SyntaxKind,
} from 'typescript/unstable/ast';
import type { Edit } from '../mutation.ts';

const equalities: readonly SyntaxKind[] = [
  SyntaxKind.EqualsEqualsEqualsToken,
  SyntaxKind.ExclamationEqualsEqualsToken,
];

/** Nothing for an equality: the flipped comparison is the same mutation. */
export function negated(condition: Expression): Edit[] {
  if (isBinaryExpression(condition) && equalities.includes(condition.operatorToken.kind)) return [];
  const isNot =
    isPrefixUnaryExpression(condition) && condition.operator === SyntaxKind.ExclamationToken;
  const text = isNot ? condition.operand.getText() : `!(${condition.getText()})`;
  return [{ kind: 'condition negated', start: condition.getStart(), end: condition.end, text }];
}
