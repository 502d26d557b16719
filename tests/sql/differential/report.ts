/** A difference as text: the statements that lead to it, and both outcomes. */

import type { Difference } from './scenario.ts';

export function reportOf({ inserts, before, statement, text }: Difference): string {
  const lines = [...before, statement].map((one) => {
    const values = one.parameters.map((value, i) => `$${i + 1} = ${JSON.stringify(value)}`);
    return `  ${one.text};${values.length === 0 ? '' : `  -- ${values.join(', ')}`}`;
  });
  return [...inserts.map((insert) => `  ${insert};`), '', ...lines, '', text].join('\n');
}
