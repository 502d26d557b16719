/** `physicalCost` of `GET /statistics`: what requests to the store have taken, and what caches have saved of them. */

import { type Log2Counts, quantileOf } from '#base';
import { type RequestCounts, type StoreStatistics, sumOfRequests } from '#storage';

/**
 * Requests to a bucket are counted below all caches, so each of them was answered by the remote service; those of merges on another thread
 * are among them. A directory and memory have none: nothing is measured there, and the capabilities are false.
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

/** What no request of the class has had is absent. */
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

/** The least power of two that is not below. */
function powerAbove(value: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, value)));
}

function cacheCost(tier: 'memory' | 'local', hits: number, misses: number) {
  const accesses = hits + misses;
  const hitRatePpm = accesses === 0 ? 0 : Math.floor((hits * 1_000_000) / accesses);
  return { tier, accesses, hits, hitRatePpm };
}
