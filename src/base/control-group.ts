/**
 * The limits of the control groups that the process is in (Linux, cgroups of version 1 and 2). A group is a directory, and so are the groups around it:
 * the least limit of them all counts. `/proc/self/cgroup` names the group of each controller, `/proc/self/mountinfo` says where its directory lies.
 */

import { readFileSync } from 'node:fs';

/** The text of a file, undefined when there is none. */
export type ReadText = (path: string) => string | undefined;

interface ControlGroup {
  /** Infinity without a limit. */
  readonly cpus: number;
  readonly memoryBytes: number;
  /** Of the group with the least processors; undefined where there is no such file. */
  readonly throttledPeriods: number | undefined;
  readonly throttledSeconds: number | undefined;
}

type Controller = 'memory' | 'cpu';

/** Where the groups of a controller lie when the system does not tell. */
const usualMounts: Readonly<Record<Controller, readonly string[]>> = {
  memory: ['/sys/fs/cgroup', '/sys/fs/cgroup/memory'],
  cpu: ['/sys/fs/cgroup', '/sys/fs/cgroup/cpu'],
};

/** What version 1 says where there is no limit is a little less than this, in bytes. */
const unlimitedBytes = 2 ** 60;

/** The limits as they are now, and how often that of the processors was felt. */
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

/** Processors: microseconds of them in so many microseconds. */
function processorLimit(group: string, read: ReadText): number {
  const [quota, period] = read(`${group}/cpu.max`)?.split(' ') ?? [
    read(`${group}/cpu.cfs_quota_us`),
    read(`${group}/cpu.cfs_period_us`),
  ];
  const limit = positive(quota);
  return Number.isFinite(limit) ? limit / positive(period) : limit;
}

/** `max`, `-1` and nothing at all stand for no limit. */
function positive(text: string | undefined): number {
  const value = Number(text?.trim());
  return value > 0 ? value : Number.POSITIVE_INFINITY;
}

/** The directories of the process's groups and of the groups around them, innermost first in each hierarchy. */
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
  /** The directory of the outermost group that can be seen. */
  readonly mount: string;
  /** The group of the process, from there. */
  readonly path: string;
}

/** In the hierarchies that have the controller: that of version 2 has all of them. */
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

/** A container may see nothing above its own group, which is the root of its mount then. What lies elsewhere cannot be seen: the mount is what is left. */
function below(root: string, path: string): string {
  if (path.startsWith('/..')) return '';
  if (root === '/') return path;
  return path === root || path.startsWith(`${root}/`) ? path.slice(root.length) : '';
}

interface Mount {
  readonly root: string;
  readonly mount: string;
  /** Undefined in version 2. */
  readonly controllers: readonly string[] | undefined;
}

/** `36 35 98:0 /root /mount options … - type source options` (proc_pid_mountinfo(5)). */
function mountsIn(text: string): readonly Mount[] {
  return text.split('\n').flatMap((line): readonly Mount[] => {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root = '', mount = ''] = before.split(' ').map(unescaped);
    const [type, , options = ''] = after.split(' ');
    if (type === 'cgroup2') return [{ root, mount, controllers: undefined }];
    return type === 'cgroup' ? [{ root, mount, controllers: options.split(',') }] : [];
  });
}

/** Spaces and the like stand there as `\040`. */
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
