/** The limits of control groups, wherever in the hierarchy they stand. */

import { describe, expect, test } from 'bun:test';
import { poolBytesDefault } from '../../src/base/allowance.ts';
import { controlGroup } from '../../src/base/control-group.ts';

const mib = 2 ** 20;
const reading = (files: Record<string, string>) => (path: string) => files[path];

const second = '31 23 0:28 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n';
const first = [
  '30 23 0:27 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755',
  '32 30 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct',
  '35 30 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
  '41 30 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw',
].join('\n');

describe('version 2', () => {
  const unit = {
    '/proc/self/cgroup': '0::/system.slice/svc.service\n',
    '/proc/self/mountinfo': second,
  };

  test('the limit of a unit', () => {
    const read = reading({
      ...unit,
      '/sys/fs/cgroup/system.slice/svc.service/memory.max': `${512 * mib}\n`,
      '/sys/fs/cgroup/system.slice/svc.service/cpu.max': '50000 100000\n',
      '/sys/fs/cgroup/system.slice/svc.service/cpu.stat':
        'nr_throttled 3\nthrottled_usec 1500000\n',
    });
    expect(controlGroup(read)).toEqual({
      cpus: 0.5,
      memoryBytes: 512 * mib,
      throttledPeriods: 3,
      throttledSeconds: 1.5,
    });
    expect(poolBytesDefault(read, 64 * 1024 * mib)).toBe(Math.floor(0.4 * 512 * mib));
  });

  test('the least limit of the groups around it, with what is told of that group', () => {
    const read = reading({
      ...unit,
      '/sys/fs/cgroup/system.slice/svc.service/memory.max': 'max',
      '/sys/fs/cgroup/system.slice/memory.max': `${256 * mib}`,
      '/sys/fs/cgroup/memory.max': `${4096 * mib}`,
      '/sys/fs/cgroup/system.slice/svc.service/cpu.max': '400000 100000',
      '/sys/fs/cgroup/system.slice/cpu.max': '150000 100000',
      '/sys/fs/cgroup/system.slice/svc.service/cpu.stat': 'nr_throttled 1',
      '/sys/fs/cgroup/system.slice/cpu.stat': 'nr_throttled 7',
    });
    expect(controlGroup(read)).toMatchObject({
      cpus: 1.5,
      memoryBytes: 256 * mib,
      throttledPeriods: 7,
    });
  });

  test('in a container: the group is the root of the mount, with or without a namespace', () => {
    const limit = { '/sys/fs/cgroup/memory.max': `${128 * mib}` };
    const spaced = { '/sys fs/cgroup/memory.max': `${128 * mib}` };
    const hosts = '31 23 0:28 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw';
    for (const [group, mounts, files] of [
      ['0::/', second, limit],
      ['0::/docker/abc', hosts, limit],
      ['0::/docker/other', hosts, limit],
      ['0::/../other', second, limit],
      ['0::/', second.replace('/sys/fs', '/sys\\040fs'), spaced],
    ] as const) {
      const proc = { '/proc/self/cgroup': group, '/proc/self/mountinfo': mounts };
      const { memoryBytes } = controlGroup(reading({ ...proc, ...files }));
      expect([group, memoryBytes]).toEqual([group, 128 * mib]);
    }
    const inner = reading({
      '/proc/self/cgroup': '0::/docker/abc/inner',
      '/proc/self/mountinfo': hosts,
      '/sys/fs/cgroup/inner/memory.max': `${64 * mib}`,
      ...limit,
    });
    expect(controlGroup(inner).memoryBytes).toBe(64 * mib);
  });
});

test('version 1: a group of its own for each controller, and the groups around it', () => {
  const read = reading({
    '/proc/self/cgroup': '4:memory:/system.slice/svc.service\n1:cpu,cpuacct:/system.slice\n0::/\n',
    '/proc/self/mountinfo': first,
    '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
    '/sys/fs/cgroup/memory/system.slice/memory.limit_in_bytes': `${300 * mib}\n`,
    '/sys/fs/cgroup/memory/system.slice/svc.service/memory.limit_in_bytes': `${700 * mib}\n`,
    '/sys/fs/cgroup/cpu,cpuacct/system.slice/cpu.cfs_quota_us': '300000\n',
    '/sys/fs/cgroup/cpu,cpuacct/system.slice/cpu.cfs_period_us': '100000\n',
    '/sys/fs/cgroup/cpu,cpuacct/system.slice/cpu.stat':
      'nr_throttled 2\nthrottled_time 5000000000\n',
    '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us': '-1\n',
    '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us': '100000\n',
  });
  expect(controlGroup(read)).toEqual({
    cpus: 3,
    memoryBytes: 300 * mib,
    throttledPeriods: 2,
    throttledSeconds: 5,
  });
});

test('no limit: where none is set, in either version, and where nothing can be read', () => {
  const none = { cpus: Number.POSITIVE_INFINITY, memoryBytes: Number.POSITIVE_INFINITY };
  const proc = { '/proc/self/cgroup': '4:memory:/a\n1:cpu:/\n0::/', '/proc/self/mountinfo': first };
  for (const files of [
    {},
    proc,
    { ...proc, '/sys/fs/cgroup/memory/a/memory.limit_in_bytes': '9223372036854771712' },
    { '/sys/fs/cgroup/memory.max': 'max', '/sys/fs/cgroup/cpu.max': 'max 100000' },
  ]) {
    expect(controlGroup(reading(files))).toMatchObject(none);
  }
});
