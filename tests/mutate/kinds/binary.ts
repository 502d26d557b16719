/** Mutations of operators between two operands. */

import { type BinaryExpression, isNumericLiteral } from 'typescript/unstable/ast';
import type { Edit, MutationKind } from '../mutation.ts';

const others: Readonly<Record<string, readonly [MutationKind, string]>> = {
  '<': ['comparison', '<='],
  '<=': ['comparison', '<'],
  '>': ['comparison', '>='],
  '>=': ['comparison', '>'],
  '===': ['comparison', '!=='],
  '!==': ['comparison', '==='],
  '&&': ['logic', '||'],
  '||': ['logic', '&&'],
  '+': ['arithmetic', '-'],
  '-': ['arithmetic', '+'],
  '*': ['arithmetic', '/'],
  '/': ['arithmetic', '*'],
  '<<': ['arithmetic', '>>'],
  '>>': ['arithmetic', '<<'],
  '>>>': ['arithmetic', '<<'],
  '+=': ['arithmetic', '-='],
  '-=': ['arithmetic', '+='],
};

export function ofBinary(node: BinaryExpression): Edit[] {
  const { operatorToken, left, right } = node;
  const operator = operatorToken.getText();
  const edits: Edit[] = [];
  const other = others[operator];
  if (other !== undefined) {
    const [kind, text] = other;
    edits.push({ kind, start: operatorToken.getStart(), end: operatorToken.end, text });
  }
  const isStep = (operator === '+' || operator === '-') && isNumericLiteral(right);
  if (isStep && right.text === '1') {
    edits.push({ kind: 'off by one', start: left.end, end: right.end, text: '' });
  }
  return edits;
}
