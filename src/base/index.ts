/**
 * The lowest layer, which is independent of databases.
 *
 * Terms: world (clock, random and scheduler, which are always injected), byte strings and their order, checksums, invariants. `Pending` is
 * the only way to wait on a hot path: an operation that has no result yet returns a promise without a value. The caller repeats the call
 * after the promise has resolved.
 */

export { concurrencyOf, poolBytesDefault } from './allowance.ts';
export { ByteReader } from './byte-reader.ts';
export {
  afterKey,
  afterPrefix,
  ByteWriter,
  compareBytes,
  compareRanges,
  equalBytes,
  equalRanges,
} from './bytes.ts';
export { crc32 } from './checksum.ts';
export { ClassShares } from './class-shares.ts';
export { controlGroup } from './control-group.ts';
export { firstIndex } from './first-index.ts';
export { limitHeap } from './heap-size.ts';
export { invariant, unreachable } from './invariant.ts';
export {
  boundOf,
  bucketOf,
  type Log2Counts,
  Log2Histogram,
  quantileOf,
  sumOfSpreads,
} from './log2-histogram.ts';
export { isLoopback } from './loopback.ts';
export { finishHash, mixWord } from './murmur.ts';
export { redact } from './redaction.ts';
export { routedFetch } from './routed-fetch.ts';
export { neverYield, runSteps, runWithoutWaiting, type Steps, type YieldPolicy } from './steps.ts';
export { didYouMean, nearestOf, orDidYouMean } from './suggestion.ts';
export { heapVariable, systemWorld } from './system-world.ts';
export {
  appendUtf8,
  decodeForeignUtf8,
  decodeUtf8,
  encodeUtf8,
  withoutByteOrderMark,
} from './utf8.ts';
export { version } from './version.ts';
export {
  type Clock,
  isPending,
  type Pending,
  pause,
  type Random,
  type Scheduler,
  type Timer,
  type World,
} from './world.ts';
