/** What a control group leaves to the process. */

import { expect, test } from 'bun:test';
import { concurrencyOf, poolBytesDefault } from '../../src/base/allowance.ts';

const gib = 2 ** 30;
const reading = (files: Record<string, string>) => (path: string) => files[path];

test('memory: a gibibyte, or two fifths of what there is', () => {
  expect(poolBytesDefault(reading({}), 64 * gib)).toBe(gib);
  expect(poolBytesDefault(reading({}), gib)).toBe(Math.floor(0.4 * gib));
  const second = reading({ '/sys/fs/cgroup/memory.max': `${gib / 2}\n` });
  expect(poolBytesDefault(second, 64 * gib)).toBe(Math.floor(0.2 * gib));
  const first = reading({ '/sys/fs/cgroup/memory/memory.limit_in_bytes': `${gib}` });
  expect(poolBytesDefault(first, 64 * gib)).toBe(Math.floor(0.4 * gib));
  expect(poolBytesDefault(reading({ '/sys/fs/cgroup/memory.max': 'max' }), 64 * gib)).toBe(gib);
});

test('slots: four a processor, or a started one of the quota, from 4 to 64', () => {
  expect(concurrencyOf(reading({}), 2)).toBe(8);
  expect(concurrencyOf(reading({}), 128)).toBe(64);
  expect(concurrencyOf(reading({ '/sys/fs/cgroup/cpu.max': '150000 100000' }), 8)).toBe(8);
  expect(concurrencyOf(reading({ '/sys/fs/cgroup/cpu.max': '10000 100000' }), 8)).toBe(4);
  expect(concurrencyOf(reading({ '/sys/fs/cgroup/cpu.max': 'max 100000' }), 8)).toBe(32);
  const first = {
    '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '300000',
    '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000',
  };
  expect(concurrencyOf(reading(first), 8)).toBe(12);
  expect(concurrencyOf(reading({ ...first, '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1' }), 8)).toBe(
    32,
  );
});
