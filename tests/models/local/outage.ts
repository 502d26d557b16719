/** Processes are killed: what they wrote stays visible. The power goes: of what was not durable, any part may be gone, and a record half there. */

import {
  commitOf,
  type Manifest,
  type Name,
  noSegment,
  type Record,
  type Segment,
  type State,
  type Writer,
} from './state.ts';

export type Crash = (label: string, change: (t: State) => void) => void;

/** Every way in which the directory may look when the power is back. */
export function outageSteps(s: State, step: Crash): void {
  if (s.left.outages === 0 || s.writers.every(({ at }) => at === 'start' || at === 'dead')) return;
  for (const epochs of choices(s.epochs.map(fatesOfName))) {
    for (const segments of choices(s.segments.map(fatesOfSegment))) {
      for (const manifests of choices(s.manifests.map(fatesOfManifest))) {
        step('POWER LOSS', (t) => {
          t.epochs = epochs;
          t.segments = segments;
          t.manifests = manifests.filter((it) => it !== undefined);
          t.left = { ...t.left, outages: t.left.outages - 1 };
          t.writers = t.writers.map(
            (writer): Writer => (writer.at === 'start' ? writer : { ...writer, at: 'dead' }),
          );
        });
      }
    }
  }
}

function fatesOfName(name: Name): readonly Name[] {
  if (name === 'fresh') return ['absent', 'durable'];
  return name === 'leaving' ? ['absent', 'durable'] : [name];
}

function fatesOfManifest(manifest: Manifest): readonly (Manifest | undefined)[] {
  return manifest.isDurable ? [manifest] : [undefined, { ...manifest, isDurable: true }];
}

function fatesOfSegment({ name, records, isLater }: Segment): readonly Segment[] {
  return fatesOfName(name).flatMap((after): readonly Segment[] => {
    if (after === 'absent') return [noSegment];
    return fatesOfRecords(records).map((left) => ({ name: after, records: left, isLater }));
  });
}

/** Only the last record can be other than synced. */
function fatesOfRecords(records: readonly Record[]): readonly (readonly Record[])[] {
  const last = records.at(-1);
  if (last === undefined || last.is === 'synced' || last.is === 'torn') return [records];
  const before = records.slice(0, -1);
  const torn: Record = { ...last, is: 'torn' };
  if (last.is === 'lost') return [before, [...before, torn]];
  return [before, [...before, torn], [...before, { ...last, is: 'synced' }]];
}

function choices<T>(fates: readonly (readonly T[])[]): readonly (readonly T[])[] {
  return fates.reduce<readonly (readonly T[])[]>(
    (all, next) => all.flatMap((chosen) => next.map((fate) => [...chosen, fate])),
    [[]],
  );
}

/** Commits of one writer. */
export function commitsOf(s: State, writer: number): number {
  let all = 0;
  for (let nth = 0; nth < s.setting.bounds.commits; nth++) all |= commitOf(s.setting, writer, nth);
  return all;
}
