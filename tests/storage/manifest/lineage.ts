/**
 * Drives an opened store and remembers what it must still know afterwards: recovered records are a prefix of what was
 * appended, in order and whole, and contain all that was acknowledged.
 */

import { crc32 } from '#base';
import { openDurable } from '../../../src/storage/local/open-durable.ts';
import type { LogDevice } from '../../../src/storage/log/log.ts';
import type { Durable } from '../../../src/storage/manifest/durable.ts';
import type { Manifest } from '../../../src/storage/manifest/manifest.ts';
import { tableName } from '../../../src/storage/object/names.ts';
import type { ObjectStore } from '../../../src/storage/object/store.ts';
import { seededWorld } from '../object/seeded-world.ts';

export interface Media {
  readonly objects: ObjectStore;
  readonly logs: LogDevice;
}

export class Lineage {
  /** Payload of record n at n - 1, of the last writer that appended it. */
  appended: string[] = [];
  acknowledged = 0;
  durable: Durable | undefined;
  private readonly unit: () => number;
  private seed: number;

  constructor(unit: () => number, seed: number) {
    this.unit = unit;
    this.seed = seed;
  }

  /** Opens and checks. Throws what opening throws, or `LostRecords`. */
  async open(media: Media): Promise<Durable> {
    const recovered = await openAndRead(media, ++this.seed);
    this.verify(recovered.payloads);
    this.durable = recovered.durable;
    return recovered.durable;
  }

  /** Appends a few records and, mostly, waits for them. */
  async append(): Promise<void> {
    const { log } = this.durable as Durable;
    let last = 0;
    for (let count = 1 + Math.floor(this.unit() * 4); count > 0; count--) {
      const body = String(this.unit()).repeat(Math.floor(this.unit() ** 3 * 400));
      const payload = `${log.last + 1}:${body}`;
      this.appended[log.last] = payload;
      last = log.append([Buffer.from(payload.slice(0, 3)), Buffer.from(payload.slice(3))]);
    }
    if (this.unit() < 0.2) return;
    await log.durable(last);
    this.acknowledged = Math.max(this.acknowledged, last);
    // Long after the flush, when segments hold both what it covers and what it does not.
    if (this.unit() < 0.1) await this.durable?.collect([]);
  }

  /** Puts the durable records into a "table", which is a list of their payloads, and publishes that. */
  async flush(): Promise<void> {
    const durable = this.durable as Durable;
    const { manifest, log } = durable;
    const boundary = log.durableTo;
    const name = tableName(durable.epoch, manifest.nextFile);
    const body = Buffer.from(JSON.stringify(this.appended.slice(0, boundary)));
    await durable.objects.put(name, body);
    const range = { sequenceMin: 0, sequenceMax: boundary, entries: boundary };
    const keys = { smallest: new Uint8Array(), largest: new Uint8Array([1]) };
    const hash = BigInt(crc32(body));
    const table = { name, bytes: body.length, ...keys, ...range, hash };
    await durable.publish({
      runs: [{ level: 0, tables: [table] }],
      boundary,
      lastSequence: boundary,
      nextFile: manifest.nextFile + 1,
      properties: new Map([['count', new Uint8Array([boundary & 0xff])]]),
    });
    if (this.unit() < 0.7) await durable.collect([]);
  }

  verify(payloads: readonly string[]): void {
    if (payloads.length < this.acknowledged) {
      throw new LostRecords(`${this.acknowledged} acknowledged, ${payloads.length} recovered`);
    }
    for (let i = 0; i < payloads.length; i++) {
      if (payloads[i] !== this.appended[i]) throw new LostRecords(`record ${i + 1} differs`);
    }
    this.appended = this.appended.slice(0, payloads.length);
  }
}

export class LostRecords extends Error {}

/** Opens a store and lists all its records, from tables and log. */
export async function openAndRead(media: Media, seed: number) {
  let payloads: string[] = [];
  const durable = await openDurable({
    world: seededWorld(seed),
    ...media,
    async prepare(manifest: Manifest) {
      const table = manifest.runs[0]?.tables[0];
      if (table === undefined) return;
      const body = await media.objects.get(table.name);
      if (body === undefined) throw new LostRecords(`${table.name} is missing`);
      payloads = JSON.parse(Buffer.from(body).toString());
    },
    replay(payload, record) {
      if (record !== payloads.length + 1) throw new LostRecords(`record ${record} out of order`);
      payloads.push(Buffer.from(payload).toString());
    },
  });
  return { durable, payloads };
}
