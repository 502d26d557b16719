/**
 * Counters of the requests to a remote store, separate for each component that sends them and for
 * each part of the store that contains the object.
 */

import type { Clock } from '#base';
import { type CountedStore, countedStore } from './counted-store.ts';
import { prefixes } from './names.ts';
import { endedRequests, type ObjectStatistics, sumOfRequests } from './request-counts.ts';
import type { ObjectStore } from './store.ts';

/**
 * `db`: a writing database: its log, manifests, flushes and reads. `reader`: a database that
 * follows another process. `compactor`: compactions. `gc`: the collector, which lists and deletes
 * obsolete objects.
 */
export type Component = 'db' | 'reader' | 'compactor' | 'gc';

/** `log`: objects of the write-ahead log. `main`: all other objects. */
export type StorePart = 'main' | 'log';

export interface ComponentRequests {
  readonly component: Component;
  readonly store: StorePart;
  readonly counts: ObjectStatistics;
}

export interface ComponentStores {
  /**
   * Returns the same objects for each component. All requests through the result are counted for
   * that component.
   */
  of(component: Component): ObjectStore;
  /** Returns the counts of the components for which `of` was called. */
  requests(): readonly ComponentRequests[];
  /**
   * Returns the microseconds that reading a part of an object takes for this component, as
   * `ReadLatency` classifies them.
   */
  readMicros(component: Component): number;
}

export function storePartOf(name: string): StorePart {
  return name.startsWith(prefixes.log) ? 'log' : 'main';
}

export function componentStores(store: ObjectStore, clock: Clock): ComponentStores {
  const counted = new Map<Component, CountedParts>();
  const partsOf = (component: Component) => {
    const known = counted.get(component) ?? countedParts(store, clock);
    counted.set(component, known);
    return known;
  };
  return {
    of: (component) => partsOf(component).store,
    readMicros: (component) => partsOf(component).parts.main.readMicros(),
    requests: () =>
      [...counted].flatMap(([component, { parts }]): ComponentRequests[] => [
        { component, store: 'main', counts: parts.main.statistics() },
        { component, store: 'log', counts: parts.log.statistics() },
      ]),
  };
}

/** Returns the sum over all components and parts; `undefined` if requests are not counted. */
export function requestsOfAll(
  requests: readonly ComponentRequests[] | undefined,
): ObjectStatistics | undefined {
  return requests && sumOfRequests(requests.map(({ counts }) => counts));
}

/** Sums the counts of several concurrent or consecutive threads, by component and part. */
export function joinRequests(
  ...all: readonly (readonly ComponentRequests[])[]
): readonly ComponentRequests[] {
  const groups = new Map<string, ComponentRequests[]>();
  for (const one of all.flat()) {
    const key = `${one.component} ${one.store}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].map((group) => ({
    ...(group[0] as ComponentRequests),
    counts: sumOfRequests(group.map(({ counts }) => counts)),
  }));
}

/** Returns the final counts of a thread that has ended. */
export function endedComponentRequests(
  requests: readonly ComponentRequests[],
): readonly ComponentRequests[] {
  return requests.map((one) => ({ ...one, counts: endedRequests(one.counts) }));
}

interface CountedParts {
  /** Sends each request to the part that its object belongs to. */
  readonly store: ObjectStore;
  readonly parts: Readonly<Record<StorePart, CountedStore>>;
}

function countedParts(store: ObjectStore, clock: Clock): CountedParts {
  const parts = { main: countedStore(store, clock), log: countedStore(store, clock) };
  const at = (name: string) => parts[storePartOf(name)].store;
  const routed: ObjectStore = {
    get: (name) => at(name).get(name),
    getRange: (name, offset, length) => at(name).getRange(name, offset, length),
    head: (name) => at(name).head(name),
    put: (name, body) => at(name).put(name, body),
    ...(store.create && {
      create: (name: string) => (at(name).create as NonNullable<ObjectStore['create']>)(name),
    }),
    putIfAbsent: (name, body) => at(name).putIfAbsent(name, body),
    list: (prefix, after) => at(prefix).list(prefix, after),
    delete: (names) => deleteByPart(names, at),
    openRead: (name, bytes) => at(name).openRead(name, bytes),
  };
  return { store: routed, parts };
}

/** Sends one request per part. The names of one call nearly always belong to one part. */
async function deleteByPart(
  names: readonly string[],
  at: (name: string) => ObjectStore,
): Promise<void> {
  const parts = Map.groupBy(names, at);
  for (const [store, some] of parts) await store.delete(some);
}
