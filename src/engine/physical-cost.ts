/** `physicalCost` of `GET /statistics`: the costs of requests to the store, and the requests that caches have avoided. */

import { type Log2Counts, quantileOf } from '#base';
import { type RequestCounts, type StoreStatistics, sumOfRequests } from '#storage';

/**
 * Returns the costs. Requests to a bucket are counted below all caches, so each was served by the remote service. They
 * include those of compactions on another thread. Stores in a directory or in memory are not measured, and their
 * capabilities are false.
 */
export function physicalCost(store: StoreStatistics, backend: string) {
  const { dataCache, metadataCache, objectCache, objects, mergeObjects } = store;
  const isRemote = objects !== undefined;
  const counted = [objects, mergeObjects].filter((it) => it !== undefined);
  const requests = isRemote ? Object.entries(sumOfRequests(counted)) : [];
  return {
    basis: 'backend_physical_telemetry',
    backend,
    telemetryFormat: 1,
    capabilities: {
      requestLatency: isRemote,
      requestBytes: isRemote,
      requestConcurrency: isRemote,
      cacheTiers: true,
      accessLocality: isRemote,
    },
    requests: requests.map(([kind, counts]) => requestCost(kind, counts)),
    caches: [
      cacheCost(
        'memory',
        dataCache.hits + metadataCache.hits,
        dataCache.misses + metadataCache.misses,
      ),
      ...(objectCache === undefined
        ? []
        : [cacheCost('local', objectCache.hits, objectCache.misses)]),
    ],
  };
}

/** Returns the cost of one class of requests. A metric without values is absent. */
function requestCost(kind: string, counts: RequestCounts) {
  const latencyMicros = costMetric(counts.micros);
  const bytes = costMetric(counts.sizes);
  return {
    class: kind,
    observedRequests: counts.requests,
    errors: counts.errors,
    ...(latencyMicros && { latencyMicros }),
    ...(bytes && { bytes, sizeUpperBound: powerAbove(counts.sizes.maximum) }),
    ...(counts.activeMax > 0 && { concurrencyUpperBound: powerAbove(counts.activeMax) }),
    serviceTier: 'remote',
  };
}

function costMetric(of: Log2Counts) {
  const p50UpperBound = quantileOf(of, 0.5);
  const p95UpperBound = quantileOf(of, 0.95);
  if (p50UpperBound === undefined || p95UpperBound === undefined) return undefined;
  return { p50UpperBound, p95UpperBound, maximumUpperBound: of.maximum };
}

/** Returns the smallest power of two that is not less than `value`. */
function powerAbove(value: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, value)));
}

function cacheCost(tier: 'memory' | 'local', hits: number, misses: number) {
  const accesses = hits + misses;
  const hitRatePpm = accesses === 0 ? 0 : Math.floor((hits * 1_000_000) / accesses);
  return { tier, accesses, hits, hitRatePpm };
}
