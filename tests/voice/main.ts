/**
 * `npm run voice [-- --list TEXT] [-- --files PATH...]`: counts sentences that match a sign of English that has to be read twice, by area, by sign and by file.
 * `--list` also prints the sentences whose path, area or sign contains TEXT.
 */

import { parseArgs } from 'node:util';
import { check, type Hit } from './check.ts';
import { readFiles } from './files.ts';
import { codeToken } from './sentences.ts';
import { areas } from './texts.ts';

const { values, positionals } = parseArgs({
  options: { list: { type: 'string' }, files: { type: 'boolean' } },
  allowPositionals: true,
});
const { hits, sentences } = check(readFiles(values.files === true ? positionals : undefined));
const { list } = values;
if (list !== undefined) {
  for (const hit of hits) if (headOf(hit).includes(list)) console.log(textOf(hit));
}
for (const area of areas) {
  const count = hits.filter((hit) => hit.area === area).length;
  const share = ((100 * count) / Math.max(1, sentences[area])).toFixed(1);
  console.log(`${area}: ${count} of ${sentences[area]} sentences, ${share} %`);
}
print(
  'by sign',
  hits.flatMap((hit) => hit.signs),
);
print(
  'worst files',
  hits.map(({ path }) => path),
);

function headOf({ path, line, area, signs }: Hit): string {
  return `${path}:${line}: [${area}: ${signs.join(', ')}]`;
}

function textOf(hit: Hit): string {
  return `${headOf(hit)} ${hit.sentence.replaceAll(codeToken, '`…`').slice(0, 240)}`;
}

function print(title: string, keys: readonly string[]): void {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  console.log(`\n${title}`);
  const sorted = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  for (const [key, count] of sorted.slice(0, 24))
    console.log(`${String(count).padStart(7)}  ${key}`);
}
