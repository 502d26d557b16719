/** An ObjectStore that counts its requests by class. */

import { type Clock, Log2Histogram } from '#base';
import { bodyBytes } from './body.ts';
import { backingRead } from './read-evidence.ts';
import { ReadLatency } from './read-latency.ts';
import {
  type ObjectStatistics,
  type RequestClass,
  type RequestCounts,
  requestClasses,
} from './request-counts.ts';
import type { ObjectReader, ObjectStore, ObjectWriter } from './store.ts';

/** Called for every request that has ended, to fill histograms. */
type RequestObserver = (kind: RequestClass, ms: number, bytes: number, ok: boolean) => void;

export interface CountedStore {
  readonly store: ObjectStore;
  statistics(): ObjectStatistics;
  /** Returns the duration of reads of parts of objects, as `ReadLatency` classifies it. */
  readMicros(): number;
}

export function countedStore(
  store: ObjectStore,
  clock: Clock,
  observer: RequestObserver = () => {},
): CountedStore {
  const latency = new ReadLatency();
  const observed: RequestObserver = (kind, ms, bytes, isOk) => {
    if (kind === 'range_read' && isOk) latency.add(ms);
    observer(kind, ms, bytes, isOk);
  };
  const counters = Object.fromEntries(
    requestClasses.map((kind) => [kind, new Counter(kind, clock, observed)]),
  ) as Record<RequestClass, Counter>;
  const length = (bytes: Uint8Array | undefined): number => bytes?.length ?? 0;
  const none = (): undefined => undefined;
  return {
    readMicros: () => latency.micros,
    statistics: () =>
      Object.fromEntries(
        requestClasses.map((kind) => [kind, counters[kind].counts()]),
      ) as ObjectStatistics,
    store: {
      get: (name) => counters.read.run(() => store.get(name), length),
      getRange: (name, offset, bytes) =>
        counters.range_read.run(() => store.getRange(name, offset, bytes), length),
      head: (name) => counters.metadata_read.run(() => store.head(name), none),
      put: (name, body) =>
        counters.write.run(
          () => store.put(name, body),
          () => bodyBytes(body),
        ),
      ...(store.create && { create: countedCreate(store.create, counters.write) }),
      putIfAbsent: (name, body) =>
        counters.write.run(
          () => store.putIfAbsent(name, body),
          (outcome) => (outcome === 'committed' ? bodyBytes(body) : 0),
          (outcome) => outcome !== 'unknown',
        ),
      list: (prefix, after) => counters.list.run(() => store.list(prefix, after), none),
      delete: (names) => counters.delete.run(() => store.delete(names), none),
      openRead: (name, bytes) => {
        const open = () => store.openRead(name, bytes);
        // If the length is given, opening sends no request.
        const opened = bytes === undefined ? counters.metadata_read.run(open, none) : open();
        const counted = (reader: ObjectReader) => countedReader(reader, counters.range_read);
        return opened instanceof Promise ? opened.then(counted) : counted(opened);
      },
    },
  };
}

function countedReader(reader: ObjectReader, counter: Counter): ObjectReader {
  return {
    name: reader.name,
    bytes: reader.bytes,
    remote: reader.remote,
    readInto: (offset, target) =>
      backingRead(() =>
        counter.run(
          () => reader.readInto(offset, target),
          (count) => count,
        ),
      ),
    close: () => reader.close(),
  };
}

class Counter {
  private requests = 0;
  private errors = 0;
  private bytes = 0;
  private milliseconds = 0;
  private longestMs = 0;
  private active = 0;
  private activeMax = 0;
  private readonly micros = new Log2Histogram();
  private readonly sizes = new Log2Histogram();
  private readonly kind: RequestClass;
  private readonly clock: Clock;
  private readonly observer: RequestObserver;

  constructor(kind: RequestClass, clock: Clock, observer: RequestObserver) {
    this.kind = kind;
    this.clock = clock;
    this.observer = observer;
  }

  counts(): RequestCounts {
    const { requests, errors, bytes, milliseconds, longestMs, active, activeMax } = this;
    const spreads = { micros: this.micros.spread, sizes: this.sizes.spread };
    return { requests, errors, bytes, milliseconds, longestMs, active, activeMax, ...spreads };
  }

  /**
   * Counts one request. A synchronous result is counted immediately and returned without a promise.
   * Requests that transfer no object have no bytes.
   */
  run<R>(
    request: () => R,
    bytesOf: (value: Awaited<R>) => number | undefined,
    isOk: (value: Awaited<R>) => boolean = () => true,
  ): R {
    const from = this.clock.monotonicMs();
    this.requests++;
    this.active++;
    this.activeMax = Math.max(this.activeMax, this.active);
    const succeeded = (value: Awaited<R>) => this.ended(from, bytesOf(value), isOk(value));
    const failed = () => this.ended(from, 0, false);
    let result: R;
    try {
      result = request();
    } catch (error) {
      failed();
      throw error;
    }
    if (result instanceof Promise) result.then(succeeded, failed);
    else succeeded(result as Awaited<R>);
    return result;
  }

  private ended(from: number, moved: number | undefined, isOk: boolean): void {
    const ms = this.clock.monotonicMs() - from;
    const bytes = moved ?? 0;
    this.active--;
    this.bytes += bytes;
    this.micros.add(Math.round(ms * 1_000));
    if (isOk && moved !== undefined) this.sizes.add(bytes);
    this.milliseconds += ms;
    this.longestMs = Math.max(this.longestMs, ms);
    if (!isOk) this.errors++;
    this.observer(this.kind, ms, bytes, isOk);
  }
}

/** Counts a streamed object as one request, whose duration is that of `finish`. */
function countedCreate(
  create: (name: string) => ObjectWriter,
  counter: Counter,
): (name: string) => ObjectWriter {
  return (name) => {
    const writer = create(name);
    let bytes = 0;
    return {
      write(part) {
        bytes += part.length;
        return writer.write(part);
      },
      finish: () =>
        counter.run(
          () => writer.finish(),
          () => bytes,
        ),
      discard: () => writer.discard(),
    };
  };
}
