/** `SHA256SUMS`, in the format of sha256sum(1). */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One line per file, sorted by name. */
export function sumsOf(folder: string, names: readonly string[]): string {
  const lines = [...names].sort().map((name) => {
    const hash = new Bun.CryptoHasher('sha256').update(readFileSync(join(folder, name)));
    return `${hash.digest('hex')}  ${name}\n`;
  });
  return lines.join('');
}

/** Returns the names of the files whose sum is not the same in both texts. */
export function differingNames(one: string, other: string): readonly string[] {
  const [a, b] = [one, other].map((text) => new Set(text.split('\n'))) as [
    Set<string>,
    Set<string>,
  ];
  const lines = [...a.symmetricDifference(b)];
  return [...new Set(lines.map((line) => line.slice(66)))].sort();
}
