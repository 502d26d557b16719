/**
 * The limits of the cgroups of the process (Linux, cgroups of version 1 and 2). A cgroup is a directory, and the lowest limit of it and of
 * its enclosing cgroups applies. `/proc/self/cgroup` contains the cgroup of each controller, `/proc/self/mountinfo` the location of its
 * directory.
 */

import { readFileSync } from 'node:fs';

/** Returns the content of a file; `undefined` if it does not exist. */
export type ReadText = (path: string) => string | undefined;

interface ControlGroup {
  /** CPU limit; Infinity if there is none. */
  readonly cpus: number;
  readonly memoryBytes: number;
  /** Throttling counters of the cgroup with the lowest CPU limit; `undefined` if there is no such file. */
  readonly throttledPeriods: number | undefined;
  readonly throttledSeconds: number | undefined;
}

type Controller = 'memory' | 'cpu';

/** Directories of the cgroups of a controller if `/proc` does not contain them. */
const usualMounts: Readonly<Record<Controller, readonly string[]>> = {
  memory: ['/sys/fs/cgroup', '/sys/fs/cgroup/memory'],
  cpu: ['/sys/fs/cgroup', '/sys/fs/cgroup/cpu'],
};

/** Version 1 reports a limit slightly below this many bytes if there is none. */
const unlimitedBytes = 2 ** 60;

/** Returns the current limits, and how often the CPU limit has throttled the process. */
export function controlGroup(read: ReadText = readText): ControlGroup {
  const memory = groupsOf('memory', read).map((group) => memoryLimit(group, read));
  let cpus = Number.POSITIVE_INFINITY;
  const groups = groupsOf('cpu', read);
  let [tightest] = groups;
  for (const group of groups) {
    const limit = processorLimit(group, read);
    if (limit < cpus) [cpus, tightest] = [limit, group];
  }
  const statistics = (tightest && read(`${tightest}/cpu.stat`)) ?? '';
  const counted = (name: string, unit: number) => {
    const text = new RegExp(`^${name} (\\d+)$`, 'm').exec(statistics)?.[1];
    return text === undefined ? undefined : Number(text) / unit;
  };
  return {
    cpus,
    memoryBytes: Math.min(Number.POSITIVE_INFINITY, ...memory),
    throttledPeriods: counted('nr_throttled', 1),
    throttledSeconds: counted('throttled_usec', 1e6) ?? counted('throttled_time', 1e9),
  };
}

function memoryLimit(group: string, read: ReadText): number {
  const limit = positive(read(`${group}/memory.max`) ?? read(`${group}/memory.limit_in_bytes`));
  return limit < unlimitedBytes ? limit : Number.POSITIVE_INFINITY;
}

/** Returns the CPU limit: the quota in microseconds per period in microseconds. */
function processorLimit(group: string, read: ReadText): number {
  const [quota, period] = read(`${group}/cpu.max`)?.split(' ') ?? [
    read(`${group}/cpu.cfs_quota_us`),
    read(`${group}/cpu.cfs_period_us`),
  ];
  const limit = positive(quota);
  return Number.isFinite(limit) ? limit / positive(period) : limit;
}

/** Parses a limit. `max`, `-1` and a missing text mean no limit. */
function positive(text: string | undefined): number {
  const value = Number(text?.trim());
  return value > 0 ? value : Number.POSITIVE_INFINITY;
}

/** Returns the directories of the cgroups of the process and of their enclosing cgroups, innermost first in each hierarchy. */
function groupsOf(controller: Controller, read: ReadText): readonly string[] {
  const places = placesOf(controller, read);
  if (places.length === 0) return usualMounts[controller];
  return places.flatMap(({ mount, path }) => {
    const parts = path.split('/').filter((part) => part !== '');
    const around = parts.map((_, i) => [mount, ...parts.slice(0, i + 1)].join('/'));
    return [mount, ...around].toReversed();
  });
}

interface Place {
  /** Directory of the outermost visible cgroup. */
  readonly mount: string;
  /** Path of the cgroup of the process, relative to `mount`. */
  readonly path: string;
}

/** Returns the cgroups in the hierarchies that have the controller. The hierarchy of version 2 has all controllers. */
function placesOf(controller: Controller, read: ReadText): readonly Place[] {
  const memberships = (read('/proc/self/cgroup') ?? '').split('\n').flatMap((line) => {
    const [, names, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    return names === undefined || path === undefined ? [] : [{ names: names.split(','), path }];
  });
  return mountsIn(read('/proc/self/mountinfo') ?? '').flatMap(({ root, mount, controllers }) => {
    if (controllers !== undefined && !controllers.includes(controller)) return [];
    const name = controllers === undefined ? '' : controller;
    const member = memberships.find(({ names }) => names.includes(name));
    return member === undefined ? [] : [{ mount, path: below(root, member.path) }];
  });
}

/**
 * Returns the path relative to the root of the mount. A container might see only its own cgroup, which is then that root. For a path
 * elsewhere, which is invisible, returns an empty path.
 */
function below(root: string, path: string): string {
  if (path.startsWith('/..')) return '';
  if (root === '/') return path;
  return path === root || path.startsWith(`${root}/`) ? path.slice(root.length) : '';
}

interface Mount {
  readonly root: string;
  readonly mount: string;
  /** Controllers of the mount; `undefined` in cgroup version 2. */
  readonly controllers: readonly string[] | undefined;
}

/** Parses lines of the form `36 35 98:0 /root /mount options … - type source options` (proc_pid_mountinfo(5)). */
function mountsIn(text: string): readonly Mount[] {
  return text.split('\n').flatMap((line): readonly Mount[] => {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root = '', mount = ''] = before.split(' ').map(unescaped);
    const [type, , options = ''] = after.split(' ');
    if (type === 'cgroup2') return [{ root, mount, controllers: undefined }];
    return type === 'cgroup' ? [{ root, mount, controllers: options.split(',') }] : [];
  });
}

/** Decodes escapes such as `\040` for a space. */
function unescaped(field: string): string {
  return field.replaceAll(/\\(\d{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
