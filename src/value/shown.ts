/** Values as messages show them: short, on one line, quoted where they are text. */

import { ByteString, type Scalar } from './datum.ts';
import { formatBytes } from './identifier/format.ts';

const shownMax = 40;

export function shownValue(value: Scalar): string {
  if (value instanceof ByteString) return cut(formatBytes(value));
  return typeof value === 'string' ? JSON.stringify(cut(value)) : String(value ?? 'NULL');
}

/** `id 7`, `tenant "a", id 7`: values by the names of their columns. */
export function shownKey(names: readonly string[], values: readonly Scalar[]): string {
  return names.map((name, i) => `${name} ${shownValue(values[i] as Scalar)}`).join(', ');
}

function cut(text: string): string {
  return text.length > shownMax ? `${text.slice(0, shownMax).toWellFormed()}…` : text;
}
