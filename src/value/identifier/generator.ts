/**
 * Generates identifiers from an injected clock and random source. The identifiers of one generator are distinct and, except for uuid_v4,
 * ascending.
 */

import type { Clock, Random } from '#base';
import { ByteString } from '../datum.ts';
import { RandomPool } from './random-pool.ts';

export type IdentifierFunction = 'uuid_v4' | 'uuid_v7' | 'ulid' | 'xid';

const xidCounterMax = 0xffffff;

/**
 * A generator of identifiers. The generator stores the newest identifier of each kind, and continues from it if the clock stops or moves back.
 */
export class IdentifierGenerator {
  private readonly clock: Clock;
  private readonly random: RandomPool;
  private readonly uuid = new Uint8Array(16);
  private uuidMs = -1;
  private readonly ulid = new Uint8Array(16);
  private ulidMs = -1;
  private xidSeconds = -1;
  private xidCounter: number;
  /** Five random bytes instead of machine and process, the same in all XIDs of one generator. */
  private readonly xidOrigin: Uint8Array;

  constructor(clock: Clock, random: Random) {
    this.clock = clock;
    this.random = new RandomPool(random);
    this.xidOrigin = this.random.fill(new Uint8Array(5));
    const [a = 0, b = 0, c = 0] = this.random.fill(new Uint8Array(3));
    this.xidCounter = (a << 16) | (b << 8) | c;
  }

  next(kind: IdentifierFunction): ByteString {
    switch (kind) {
      case 'uuid_v4':
        return new ByteString(this.uuidV4(), 'uuid');
      case 'uuid_v7':
        return new ByteString(this.uuidV7(), 'uuid');
      case 'ulid':
        return new ByteString(this.nextUlid(), 'ulid');
      case 'xid':
        return new ByteString(this.nextXid(), 'xid');
    }
  }

  private uuidV4(): Uint8Array {
    return stamp(this.random.fill(new Uint8Array(16)), 4);
  }

  /** Generates a UUID by RFC 9562 §5.7, §6.2 method 1: a 12-bit counter, which starts in its lower half, follows the millisecond. */
  private uuidV7(): Uint8Array {
    const now = this.clock.unixMs();
    let counter = 0;
    if (now <= this.uuidMs) {
      counter = (((this.uuid[6] as number) & 0x0f) << 8) + (this.uuid[7] as number) + 1;
      if (counter > 0xfff) this.uuidMs++;
    } else {
      this.uuidMs = now;
    }
    this.random.fill(this.uuid);
    if (counter === 0 || counter > 0xfff) {
      counter = (((this.uuid[6] as number) & 0x07) << 8) | (this.uuid[7] as number);
    }
    writeMilliseconds(this.uuid, this.uuidMs);
    this.uuid[6] = counter >> 8;
    this.uuid[7] = counter & 0xff;
    return stamp(this.uuid, 7).slice();
  }

  /** Generates a ULID. Within one millisecond, the 80 random bits are incremented. */
  private nextUlid(): Uint8Array {
    const now = this.clock.unixMs();
    if (now > this.ulidMs) {
      this.ulidMs = now;
      this.random.fill(this.ulid);
    } else if (increment(this.ulid, 6)) {
      this.ulidMs++;
    }
    writeMilliseconds(this.ulid, this.ulidMs);
    return this.ulid.slice();
  }

  /** Generates an XID of seconds, origin and a counter. When the counter overflows, the seconds advance. */
  private nextXid(): Uint8Array {
    const now = Math.floor(this.clock.unixMs() / 1000);
    this.xidCounter = this.xidCounter === xidCounterMax ? 0 : this.xidCounter + 1;
    const soonest = this.xidCounter === 0 ? this.xidSeconds + 1 : this.xidSeconds;
    this.xidSeconds = Math.max(now, soonest);
    const bytes = new Uint8Array(12);
    writeBigEndian(bytes, 0, 4, this.xidSeconds);
    bytes.set(this.xidOrigin, 4);
    writeBigEndian(bytes, 9, 3, this.xidCounter);
    return bytes;
  }
}

/** Sets version and variant of a UUID. */
function stamp(uuid: Uint8Array, version: number): Uint8Array {
  uuid[6] = (version << 4) | ((uuid[6] as number) & 0x0f);
  uuid[8] = 0x80 | ((uuid[8] as number) & 0x3f);
  return uuid;
}

function writeMilliseconds(target: Uint8Array, unixMs: number): void {
  writeBigEndian(target, 0, 6, unixMs);
}

function writeBigEndian(target: Uint8Array, from: number, count: number, value: number): void {
  let rest = value;
  for (let i = from + count - 1; i >= from; i--) {
    target[i] = rest % 0x100;
    rest = Math.floor(rest / 0x100);
  }
}

/** Increments the big-endian number in `target[from, end)`. Returns true if it overflowed to zero. */
function increment(target: Uint8Array, from: number): boolean {
  for (let i = target.length - 1; i >= from; i--) {
    const byte = ((target[i] as number) + 1) & 0xff;
    target[i] = byte;
    if (byte !== 0) return false;
  }
  return true;
}
