/** An engine in memory and the HTTP application over it, for tests. */

import { systemWorld, type World } from '#base';
import { type Engine, openEngine } from '#engine';
import { createHandler, type EdgeCounters, type HandlerOptions } from '#http';
import type { StoreTuning } from '#storage';
import { expectConformance } from '../openapi/conformance.ts';
import { parseLossless } from './lossless.ts';
import { type SchemaFile, schemaChanges } from './schema-file.ts';

export interface TestDatabase extends AsyncDisposable {
  readonly engine: Engine;
  readonly counters: EdgeCounters;
  readonly activity: ReturnType<typeof createHandler>['activity'];
  readonly handle: ReturnType<typeof createHandler>['handle'];
  /** Sends one request to the application, without a socket. */
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Reply>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed with exact integers; undefined for an empty body and for a text. */
  readonly json: unknown;
}

const base = 'http://localhost';

export async function openTestDatabase(
  mode: 'direct' | 'schema' = 'direct',
  schema: SchemaFile = { tables: [] },
  tuning: StoreTuning = {},
  world: World = systemWorld(),
): Promise<TestDatabase> {
  const engine = await openEngine({
    storage: 'memory',
    path: '',
    mode,
    world,
    tuning: { cacheBytes: 16 << 20, ...tuning },
    programMemoryBytes: 256 << 20,
    statementTimeoutMs: 0,
    concurrency: 8,
    queueMax: 64,
    holderAddress: 'test',
  });
  for (const change of schemaChanges(schema)) await engine.changeCatalog(() => change);
  return databaseOver(engine);
}

/** The application over an engine that is open already. */
export function databaseOver(
  engine: Engine,
  relations = { bytesMax: 16 << 20, entriesMax: 256, resultBytesMax: 1 << 20 },
  options: Partial<HandlerOptions> = {},
): TestDatabase {
  const world = systemWorld();
  const failures: unknown[] = [];
  const { handle, counters, activity } = createHandler({
    lifecycle: {
      access: 'write',
      engine,
      live: () => 'live',
      ready: () => 'serving',
      startup: () => 'started',
    },
    limits: {
      bodyBytesMax: 4 << 20,
      depthMax: 1024,
      unsentBytesMax: 1 << 28,
      resultBytesMax: 1 << 28,
      arrivingBytesMax: 1 << 28,
    },
    relations,
    random: world.random,
    clock: world.clock,
    scheduler: world.scheduler,
    loopbackOnly: true,
    diagnostics: 'summary',
    onInternalError: (_incident, error) => failures.push(error),
    ...options,
  });
  return {
    engine,
    counters,
    activity,
    handle,
    send: async (method, path, body, headers = {}) => {
      const response = await handle(makeRequest(method, path, body, headers));
      if (failures.length > 0) throw new Error('internal failure', { cause: failures.pop() });
      const text = await response.text();
      const given = { status: response.status, headers: response.headers, text };
      expectConformance(method, path, given);
      const isJson = response.headers.get('content-type')?.includes('json') ?? false;
      return { ...given, json: text === '' || !isJson ? undefined : parseLossless(text) };
    },
    [Symbol.asyncDispose]: () => engine.close(),
  };
}

/** A string body is sent as it is, anything else as JSON. */
function makeRequest(
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
): Request {
  if (body === undefined) return new Request(base + path, { method, headers });
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = method === 'QUERY' ? 'application/vnd.svc.lir+json' : 'application/json';
  return new Request(base + path, {
    method,
    body: text,
    headers: { 'content-type': type, ...headers },
  });
}
