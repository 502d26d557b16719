/** Shows that a place takes writes, by writing: a name that can be looked up proves nothing of the kind. */

import type { Random } from '#base';
import type { Durable } from '../manifest/durable.ts';
import { openedMark } from '../manifest/once-opened.ts';
import { runtimeName } from '../object/names.ts';

export class Witness {
  private readonly durable: Durable;
  /** Of this opening, so that people can tell who wrote last. */
  private readonly content: Uint8Array;
  /** Groups of the log at the last look. */
  private groups = 0;

  constructor(durable: Durable, random: Random) {
    this.durable = durable;
    this.content = openedMark({ random }, durable.epoch);
  }

  /** Rejects when nothing can be written. The log is a witness as well: while it is written to, nothing else needs to be. */
  async write(): Promise<void> {
    const { groups } = this.durable.log.counters;
    const isBusy = groups > this.groups;
    this.groups = groups;
    if (!isBusy) await this.durable.objects.put(runtimeName, this.content);
  }
}
