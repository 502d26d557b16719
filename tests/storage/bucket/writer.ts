/** Opens the durable part of a store in a bucket; its records are texts, and a table is the list of the records in it. */

import { systemWorld, type World } from '#base';
import { openBucketDurable } from '../../../src/storage/bucket/open-bucket.ts';
import type { Durable } from '../../../src/storage/manifest/durable.ts';
import type { Manifest } from '../../../src/storage/manifest/manifest.ts';
import { StorageError } from '../../../src/storage/object/storage-fault.ts';
import type { ObjectStore } from '../../../src/storage/object/store.ts';

export class LostRecords extends Error {}

/** Timers are due at once, in a later turn; chance is real, so that no two writers draw the same nonce. */
export function hastyWorld(): World {
  const world = systemWorld();
  const after = (_delayMs: number, task: () => void) => {
    const timer = setImmediate(task);
    return { cancel: () => clearImmediate(timer) };
  };
  return { ...world, scheduler: { ...world.scheduler, after } };
}

export class Writer {
  readonly durable: Durable;
  readonly objects: ObjectStore;
  /** Payload of record n at n - 1. */
  readonly payloads: string[];

  private constructor(durable: Durable, objects: ObjectStore, payloads: string[]) {
    this.durable = durable;
    this.objects = objects;
    this.payloads = payloads;
  }

  static async open(objects: ObjectStore, world = hastyWorld()): Promise<Writer> {
    let payloads: string[] = [];
    const durable = await openBucketDurable({
      world,
      objects,
      flushIntervalMs: 0,
      publishIntervalMs: 0,
      async prepare({ runs, boundary }: Manifest) {
        const table = runs[0]?.tables[0];
        if (table === undefined) return;
        const body = await objects.get(table.name);
        if (body === undefined) throw new StorageError({ kind: 'missing', object: table.name });
        payloads = JSON.parse(Buffer.from(body).toString());
        if (payloads.length !== boundary) throw new LostRecords(`${boundary} are in tables`);
      },
      replay(payload, record) {
        if (record !== payloads.length + 1) throw new LostRecords(`record ${record} out of order`);
        payloads.push(Buffer.from(payload).toString());
      },
    });
    return new Writer(durable, objects, payloads);
  }

  /** Resolves with the number of the record when it is acknowledged. */
  async commit(payload: string): Promise<number> {
    const { log } = this.durable;
    const record = log.append([Buffer.from(payload)]);
    this.payloads[record - 1] = payload;
    await log.durable(record);
    return record;
  }

  /** Puts the acknowledged records into a table of its own, which replaces the one before. */
  async flush(boundary = this.durable.log.durableTo): Promise<void> {
    const { durable, objects, payloads } = this;
    const { nextFile } = durable.manifest;
    const name = durable.tableName(nextFile);
    const body = Buffer.from(JSON.stringify(payloads.slice(0, boundary)));
    await objects.put(name, body);
    const dropped = durable.manifest.runs.flatMap((run) => run.tables.map((table) => table.name));
    await durable.publish({
      runs: [{ level: 0, tables: [{ ...anyTable, name }] }],
      boundary,
      lastSequence: boundary,
      nextFile: nextFile + 1,
      properties: new Map(),
    });
    this.dropped.push(...dropped);
  }

  /** Tables that confirmed manifests dropped. */
  readonly dropped: string[] = [];

  async collect(): Promise<void> {
    const dropped = this.dropped.splice(0);
    await this.durable.collect(dropped.map((name) => ({ name, bytes: undefined })));
  }
}

const anyTable = {
  bytes: 0,
  smallest: new Uint8Array(),
  largest: new Uint8Array(),
  sequenceMin: 0,
  sequenceMax: 0,
  entries: 0,
  hash: 0n,
};

/** The trouble that `work` ends with; fails when it ends well. */
export async function troubleOf(work: Promise<unknown>) {
  try {
    await work;
  } catch (error) {
    if (error instanceof StorageError) return error.fault;
    throw error;
  }
  throw new Error('it should have failed');
}
