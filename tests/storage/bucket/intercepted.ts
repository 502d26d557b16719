/** An object store whose requests pass through a gate: it may look on, hold them back, lose their answers, or send them again. */

import { concatenate } from '../../../src/storage/object/body.ts';
import type { ObjectStore } from '../../../src/storage/object/store.ts';

export interface Call {
  readonly operation: 'get' | 'put' | 'putIfAbsent' | 'list' | 'delete';
  /** Of the object, the prefix, or the first of many names. */
  readonly name: string;
  readonly body: Uint8Array | undefined;
}

/** Carries out the request by calling `run`, any number of times, and answers for it. */
export type Gate = (call: Call, run: () => Promise<unknown>) => Promise<unknown>;

export function intercepted(objects: ObjectStore, gate: Gate): ObjectStore {
  const pass = <T>(
    operation: Call['operation'],
    name: string,
    run: () => Promise<T>,
    body?: Uint8Array,
  ): Promise<T> => gate({ operation, name, body }, run) as Promise<T>;
  return {
    ...objects,
    get: (name) => pass('get', name, () => objects.get(name)),
    // Copied at once: a request that is delivered late has the bytes of the moment when it was sent.
    put: (name, body) => {
      const bytes = concatenate(body);
      return pass('put', name, () => objects.put(name, bytes), bytes);
    },
    putIfAbsent: (name, body) => {
      const bytes = concatenate(body);
      return pass('putIfAbsent', name, () => objects.putIfAbsent(name, bytes), bytes);
    },
    list: (prefix, after) => pass('list', prefix, () => objects.list(prefix, after)),
    delete: (names) => {
      const given = [...names];
      return pass('delete', given[0] ?? '', () => objects.delete(given));
    },
  };
}

export interface Stall {
  /** Resolves when the request has arrived at the gate. */
  readonly reached: Promise<void>;
  release(): void;
}

/** A gate that holds chosen requests back, for as long as a test likes, and keeps a record of all. */
export class Script {
  readonly calls: string[] = [];
  private readonly stalls: {
    readonly matches: (call: Call) => boolean;
    readonly reached: () => void;
    readonly released: Promise<void>;
  }[] = [];

  readonly gate: Gate = async (call, run) => {
    const which = this.stalls.findIndex(({ matches }) => matches(call));
    if (which >= 0) {
      const [stall] = this.stalls.splice(which, 1);
      stall?.reached();
      await stall?.released;
    }
    this.calls.push(`${call.operation} ${call.name}`);
    return run();
  };

  /** Holds the next request of this kind back before it has its effect. `skip`: lets so many pass first. */
  stall(operation: Call['operation'], name: string | RegExp, skip = 0): Stall {
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    let rest = skip;
    const matches = (call: Call): boolean => {
      const isIt = typeof name === 'string' ? call.name === name : name.test(call.name);
      return call.operation === operation && isIt && rest-- === 0;
    };
    this.stalls.push({ matches, reached: reached.resolve, released: released.promise });
    return { reached: reached.promise, release: () => released.resolve() };
  }
}
