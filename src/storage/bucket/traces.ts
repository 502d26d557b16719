/**
 * What a bucket shows of manifests that were there: the epochs of tables and of the end of the log, and the numbers that pins carry. Each was
 * made after the manifest that it speaks of, and the highest manifest is never deleted: so one that is not there was lost.
 */

import { refuseEmptied } from '../manifest/once-opened.ts';
import { listPins } from '../manifest/pins.ts';
import { bucketManifestName, epochOfTable, numberOf, prefixes } from '../object/names.ts';
import type { ObjectStore } from '../object/store.ts';
import { StorageError } from '../object/trouble.ts';
import { decodeHead } from './log-object.ts';

/** What was seen, and in which object. */
interface Trace {
  readonly value: number;
  readonly object: string;
}

interface Traces {
  /** The highest of the tables, and of the last log object. */
  readonly epoch: Trace;
  /** The highest number of a manifest. */
  readonly number: Trace;
}

const none: Trace = { value: 0, object: '' };

/** To be read before the manifests are listed. */
export async function readTraces(objects: ObjectStore): Promise<Traces> {
  const [tables, pins, log] = await Promise.all([
    objects.list(prefixes.table),
    listPins(objects),
    lastOfLog(objects),
  ]);
  let epoch = log;
  for (const { name } of tables) epoch = higher(epoch, epochOfTable(name), name);
  let number = none;
  for (const { name, manifest } of pins) number = higher(number, numberOf(manifest), name);
  return { epoch, number };
}

/** `vanished` when `newest`, the highest manifest after `traces` were read, is not as high as it must be. */
export function missingManifest(
  { epoch, number }: Traces,
  newest: { readonly epoch: number; readonly number: number },
): StorageError | undefined {
  if (epoch.value > newest.epoch) return vanished(newest.number + 1, epoch);
  return number.value > newest.number ? vanished(number.value, number) : undefined;
}

/** A store was opened in the bucket once, and no manifest is left. Throws `vanished`. */
export function refuseEmptiedBucket(objects: ObjectStore): Promise<void> {
  const hasManifest = async () =>
    (await objects.list(prefixes.manifest)).some(({ name }) => numberOf(name) !== undefined);
  return refuseEmptied({
    objects,
    hasManifest,
    missing: (epoch, object) => vanished(1, { value: epoch, object }),
  });
}

function vanished(number: number, { object }: Trace): StorageError {
  return new StorageError({
    kind: 'vanished',
    object: bucketManifestName(number),
    evidence: `${object} shows that there was one, or a later one`,
    lost: 'what it said of tables and log would be lost',
  });
}

/** The log goes up in epochs, too. An object that is gone meanwhile was below a manifest that is there now. */
async function lastOfLog(objects: ObjectStore): Promise<Trace> {
  const listed = await objects.list(prefixes.log);
  const object = listed.findLast(({ name }) => numberOf(name) !== undefined)?.name;
  const bytes = object === undefined ? undefined : await objects.get(object);
  if (object === undefined || bytes === undefined) return none;
  return { value: decodeHead(bytes, object).epoch, object };
}

function higher(trace: Trace, value: number | undefined, object: string): Trace {
  return value !== undefined && value > trace.value ? { value, object } : trace;
}
