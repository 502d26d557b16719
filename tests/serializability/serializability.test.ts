/** Concurrent programs over HTTP with kill -9 in between, judged from outside; `npm run serializability` makes long runs. */

import { expect, test } from 'bun:test';
import { changed } from '../mutants/tree.ts';
import { drive } from './drive.ts';
import { judge } from './judge.ts';
import { phantoms } from './phantoms.ts';
import { interleaved, plants } from './plants.ts';

const options = { seed: 1, transactions: 800, clients: 12, kills: 2 };

for (const name of ['lists', 'registers'] as const) {
  test(name, async () => {
    const { report, anomalies } = await judge(name, options);
    expect(anomalies).toEqual([]);
    expect(report.kills).toBe(2);
    expect(report.ok).toBeGreaterThan(600);
  }, 120_000);
}

test('phantoms', async () => {
  const workload = phantoms();
  await drive(workload, options);
  expect(workload.anomalies).toEqual([]);
  const names = ['check in', 'go off call', 'book'];
  for (const decision of names.flatMap((name) => [`${name} done`, `${name} refused`])) {
    expect(workload.decisions.get(decision)).toBeGreaterThan(3);
  }
}, 120_000);

for (const change of [interleaved, ...plants]) {
  test(`what \`npm run serializability\` changes stands in ${change.file}`, () => {
    expect(changed(change)).toContain(change.to);
  });
}
