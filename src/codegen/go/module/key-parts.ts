/** The columns of a key as parameters, literals and expressions. */

import { parameterName } from './names.ts';
import { shownAt, type TableParts } from './table-parts.ts';

export function keyParts(parts: TableParts, key: readonly number[]) {
  const parameters = shownAt(parts, key).map(
    ({ name, type }) => [parameterName(name), type] as const,
  );
  return {
    parameters: parameters.map(([name, { go }]) => `${name} ${go}`).join(', '),
    literals: parameters.map(([name, { codec }]) => `${codec}.literal(${name})`).join(', '),
    expressions: parameters.map(([name, { go }]) => `${name} Expr[${go}]`).join(', '),
    operands: parameters.map(([name]) => `${name}.ref()`).join(', '),
  };
}
