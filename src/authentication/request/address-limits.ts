/** Limits per address: invalid tokens, and verifications of new tokens. The least recently used addresses are forgotten. */

import { type AddressBlock, blocksOf } from './address-blocks.ts';
import { Bucket, type Rate } from './rate.ts';

interface Known {
  readonly failures: Bucket;
  readonly verifications: Bucket;
}

interface BlockLimits extends Known {
  readonly factor: number;
}

const blocksMax = 10_000;
const failureRate: Rate = { burst: 20, perSecond: 1 };
const verificationRate: Rate = { burst: 500, perSecond: 500 };

export class AddressLimits {
  private readonly known = new Map<string, Known>();

  get size(): number {
    return this.known.size;
  }

  /** Returns the time until the address may send another invalid token; 0 if it may now. */
  failureWaitMs(address: string, nowMs: number): number {
    const waits = this.limitsOf(address, nowMs).map(({ failures, factor }) =>
      failures.waitMs(scaled(failureRate, factor), nowMs),
    );
    return Math.max(...waits);
  }

  /** Counts an invalid token. */
  failed(address: string, nowMs: number): void {
    for (const { failures, factor } of this.limitsOf(address, nowMs)) {
      failures.take(scaled(failureRate, factor), nowMs);
    }
  }

  /** Returns whether the address may have a new token verified, and counts the verification. */
  mayVerify(address: string, nowMs: number): boolean {
    return this.limitsOf(address, nowMs).every(({ verifications, factor }) =>
      verifications.take(scaled(verificationRate, factor), nowMs),
    );
  }

  private limitsOf(address: string, nowMs: number): readonly BlockLimits[] {
    return blocksOf(address).map((block) => ({
      ...this.blockLimits(block, nowMs),
      factor: block.factor,
    }));
  }

  private blockLimits({ key, factor }: AddressBlock, nowMs: number): Known {
    const known = this.known.get(key) ?? {
      failures: new Bucket(scaled(failureRate, factor), nowMs),
      verifications: new Bucket(scaled(verificationRate, factor), nowMs),
    };
    // The map is ordered from the least to the most recently used block.
    this.known.delete(key);
    this.known.set(key, known);
    if (this.known.size > blocksMax) this.known.delete(this.known.keys().next().value as string);
    return known;
  }
}

function scaled({ burst, perSecond }: Rate, factor: number): Rate {
  return { burst: burst * factor, perSecond: perSecond * factor };
}
