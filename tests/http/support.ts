/** The handler over an engine in memory, with small limits and in any state of the process. */

import { systemWorld } from '#base';
import { type Engine, type EngineOptions, openEngine } from '#engine';
import { createHandler, type HandlerOptions, type Lifecycle } from '#http';
import { expectConformance } from '../openapi/conformance.ts';

export const bodyBytesMax = 256;
export const testLimits = {
  bodyBytesMax,
  depthMax: 16,
  unsentBytesMax: 1 << 20,
  resultBytesMax: 1 << 20,
  arrivingBytesMax: 1 << 20,
};

export function openMemoryEngine(
  mode: 'direct' | 'schema' = 'direct',
  world = systemWorld(),
  more: Partial<EngineOptions> = {},
): Promise<Engine> {
  return openEngine({
    storage: 'memory',
    path: '',
    mode,
    world,
    tuning: { cacheBytes: 16 << 20 },
    programMemoryBytes: 256 << 20,
    statementTimeoutMs: 0,
    concurrency: 8,
    queueMax: 64,
    holderAddress: 'test',
    ...more,
  });
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

export type Send = (method: string, path: string, init?: Init) => Promise<Answer>;

export interface Init {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Incident {
  readonly incident: string;
  readonly error: unknown;
  readonly path: string;
}

export interface TestHandler {
  readonly handle: (request: Request) => Response | Promise<Response>;
  readonly send: Send;
  readonly incidents: Incident[];
  readonly failedProbes: string[];
  readonly completed: string[];
}

export function openTestHandler(
  lifecycle: Partial<Lifecycle>,
  options: Partial<HandlerOptions> = {},
): TestHandler {
  const { random, clock, scheduler } = systemWorld();
  const incidents: Incident[] = [];
  const failedProbes: string[] = [];
  const completed: string[] = [];
  const { handle } = createHandler({
    lifecycle: {
      access: 'write',
      engine: undefined,
      live: () => 'live',
      ready: () => 'serving',
      startup: () => 'started',
      ...lifecycle,
    },
    limits: testLimits,
    random,
    clock,
    scheduler,
    loopbackOnly: true,
    onInternalError: (incident, error, { url }) =>
      incidents.push({ incident, error, path: new URL(url).pathname }),
    onProbeFailed: (path, reason) => failedProbes.push(`${path} ${reason}`),
    onCompleted: ({ method, url }, { status }) =>
      completed.push(`${method} ${new URL(url).pathname} ${status}`),
    ...options,
  });
  const send: Send = async (method, path, { body, headers = {} } = {}) => {
    const content = body === undefined ? {} : { body };
    const answer = await handle(
      new Request(`http://localhost${path}`, { method, headers, ...content }),
    );
    const text = await answer.text();
    const given = { status: answer.status, headers: answer.headers, text };
    expectConformance(method, path, given);
    const isText = answer.headers.get('content-type')?.startsWith('text/') ?? false;
    const json = (text === '' || isText ? {} : JSON.parse(text)) as Record<string, unknown>;
    return { ...given, json };
  };
  return { handle, send, incidents, failedProbes, completed };
}
