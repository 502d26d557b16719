/**
 * The body of a request. The body of an SSTable has 64 MiB in thousands of parts, so it is copied
 * only once while it is sent.
 */

import type { Scheduler } from '#base';
import { bodyBytes, concatenate, partsOf } from '../body.ts';
import type { Body } from '../store.ts';

/** A larger body is sent as a blob, because `fetch` would copy an array again. */
const arrayBytesMax = 1 << 20;
/** Hashing an SSTable takes 40 ms in total, so it yields after every slice. */
const sliceBytes = 1 << 20;

export class RequestBody {
  readonly bytes: number;
  readonly sent: Uint8Array<ArrayBuffer> | Blob;
  private readonly parts: readonly Uint8Array[];
  private hashed: Promise<string> | undefined;

  constructor(body: Body) {
    this.parts = partsOf(body);
    this.bytes = bodyBytes(body);
    const isLarge = this.bytes > arrayBytesMax;
    const parts = this.parts as readonly Uint8Array<ArrayBuffer>[];
    this.sent = isLarge ? new Blob([...parts]) : (concatenate(body) as Uint8Array<ArrayBuffer>);
  }

  /** Returns the SHA-256 in hex, which is computed once for all attempts. */
  hash(scheduler: Scheduler): Promise<string> {
    this.hashed ??= this.digest(scheduler);
    return this.hashed;
  }

  private async digest(scheduler: Scheduler): Promise<string> {
    const hasher = new Bun.CryptoHasher('sha256');
    let pending = 0;
    for (const part of this.parts) {
      for (let at = 0; at < part.length; at += sliceBytes) {
        const slice = part.subarray(at, at + sliceBytes);
        pending += slice.length;
        if (pending > sliceBytes) {
          await scheduler.yield();
          pending = slice.length;
        }
        hasher.update(slice);
      }
    }
    return hasher.digest('hex');
  }
}
