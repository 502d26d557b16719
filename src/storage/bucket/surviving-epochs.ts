/**
 * Evidence of manifests that a bucket once contained: the epochs of SSTables and of the last log object, and the manifest numbers in reader
 * pins. Each of these was written after its manifest, and the highest manifest is never deleted. If that manifest does not exist, it was
 * lost.
 */

import { refuseEmptied } from '../manifest/opened-marker.ts';
import { listPins } from '../manifest/pins.ts';
import { bucketManifestName, epochOfTable, numberOf, prefixes } from '../object/names.ts';
import { StorageError } from '../object/storage-fault.ts';
import type { ObjectStore } from '../object/store.ts';
import { decodeHead } from './log-object.ts';

/** A value and the object that proves it. */
interface Trace {
  readonly value: number;
  readonly object: string;
}

interface SurvivingEpochs {
  /** The highest epoch of an SSTable or of the last log object. */
  readonly epoch: Trace;
  /** The highest manifest number of a pin. */
  readonly number: Trace;
}

const none: Trace = { value: 0, object: '' };

/** Reads the evidence. Must be called before the manifests are listed. */
export async function readSurvivingEpochs(objects: ObjectStore): Promise<SurvivingEpochs> {
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

/** Returns a `vanished` error if `newest`, the highest manifest listed after `survivors` were read, is lower than the evidence requires. */
export function missingManifest(
  { epoch, number }: SurvivingEpochs,
  newest: { readonly epoch: number; readonly number: number },
): StorageError | undefined {
  if (epoch.value > newest.epoch) return vanished(newest.number + 1, epoch);
  return number.value > newest.number ? vanished(number.value, number) : undefined;
}

/** Throws `vanished` if a store was once opened in the bucket and no manifest is left. */
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
    lost: 'its information on SSTables and log would be lost',
  });
}

/**
 * Returns the epoch of the last log object, since epochs ascend along the log. An object that was deleted in the meantime was below a
 * manifest that exists now.
 */
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
