/**
 * A bucket behind a bad network, by a seed: requests wait, fail before their effect, have it and lose their answer, arrive twice, or long after
 * their sender gave up; a refusal may be the answer to a request's own double.
 */

import { StorageError } from '../../../src/storage/object/storage-fault.ts';
import type { ConditionalOutcome, ObjectStore } from '../../../src/storage/object/store.ts';
import { type Call, intercepted } from './intercepted.ts';

export interface Trouble {
  /** Share of the requests that meet a fault. */
  readonly faults: number;
  /** Turns that a request may wait in the network. */
  readonly turnsMax: number;
}

export class FaultyBucket {
  /** How often each kind of fault was met. */
  readonly met: Record<string, number> = {};
  private readonly objects: ObjectStore;
  private readonly unit: () => number;
  private readonly trouble: Trouble;
  private readonly late = new Set<Promise<unknown>>();

  constructor(objects: ObjectStore, unit: () => number, trouble: Trouble) {
    this.objects = objects;
    this.unit = unit;
    this.trouble = trouble;
  }

  /** The bucket as one process sees it. */
  connect(): ObjectStore {
    return intercepted(this.objects, (call, run) => this.pass(call, run));
  }

  /** Resolves when nothing is in the network any more. */
  async quiet(): Promise<void> {
    while (this.late.size > 0) await Promise.all(this.late);
  }

  private async pass(call: Call, run: () => Promise<unknown>): Promise<unknown> {
    await this.wait();
    if (this.unit() >= this.trouble.faults) {
      const answer = await run();
      await this.wait();
      return answer;
    }
    const changes = call.operation !== 'get' && call.operation !== 'list';
    const kinds = changes ? ['before', 'after', 'double', 'later'] : ['before'];
    const kind = kinds[Math.floor(this.unit() * kinds.length)] as string;
    this.met[kind] = (this.met[kind] ?? 0) + 1;
    if (kind === 'after') await run();
    if (kind === 'later') this.send(run);
    if (kind === 'double') {
      await run();
      this.send(run);
      await this.wait();
      return run();
    }
    await this.wait();
    // Whatever may be sent twice is sent again, a few times.
    if (call.operation !== 'putIfAbsent' && this.unit() < 0.95) return this.pass(call, run);
    return this.silence(call);
  }

  /** What the sender learns when no answer comes. */
  private silence({ operation, name }: Call): ConditionalOutcome {
    if (operation === 'putIfAbsent') return 'unknown';
    throw new StorageError({ kind: 'unavailable', operation, object: name });
  }

  /** Delivers a request when its sender has long gone on. */
  private send(run: () => Promise<unknown>): void {
    const delivery = this.wait(20).then(run);
    this.late.add(delivery);
    void delivery.finally(() => this.late.delete(delivery));
  }

  private async wait(times = 1): Promise<void> {
    let turns = Math.floor(this.unit() ** 3 * this.trouble.turnsMax * times);
    for (; turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
  }
}
