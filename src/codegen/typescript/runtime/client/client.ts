/** The client that applications hold: queries in, native values out. */

import { originOf } from './address.ts';
import type { Channel } from './attempts.ts';
import { BuildError } from './build-error.ts';
import { AnswerCache, type DeepReadonly } from './cache.ts';
import { SvcError, TransportError } from './errors.ts';
import { exchangeOver, type Fetch } from './exchange.ts';
import { SchemaGuard } from './guard.ts';
import { checkedHeaders, Tokens } from './headers.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import type { Compiled, Generated, ResultsOf, Runnable, Several } from './seam.ts';
import { Server } from './server.ts';
import { systemWorld, type World } from './world.ts';

export interface Client {
  /** Runs a query, a statement or a program; an object of queries in one round trip, on one snapshot. */
  run<T>(runnable: Runnable<T>, options?: CallOptions): Promise<T>;
  run<S extends Several>(runnables: S, options?: CallOptions): Promise<ResultsOf<S>>;
  /** As `run`, for queries: the same frozen object (`===`) as long as nothing that it was made of has changed. */
  cached<T>(query: Runnable<T>, options?: CallOptions): Promise<DeepReadonly<T>>;
  cached<S extends Several>(queries: S, options?: CallOptions): Promise<DeepReadonly<ResultsOf<S>>>;
  /** Gives up what is under way; whatever is asked afterwards throws TransportError of the phase `aborted`. */
  close(): void;
}

export function createClient(
  generated: Generated,
  options: ClientOptions,
  world: World = systemWorld,
): Client {
  const channel = channelOf(options, world);
  const cache = new AnswerCache(options.cache);
  const origin = originOf(options.url);
  const server = new Server(channel, origin, new SchemaGuard(channel, origin, generated), cache);
  /** Compiles at once, so that what cannot be sent is told before anything is; adds the stack of the call. */
  const told = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!options.debug) return work();
    const { stack = '' } = new Error('called');
    try {
      return await work();
    } catch (error) {
      if (error instanceof SvcError || error instanceof TransportError) {
        Object.assign(error, { callSite: stack.split('\n').slice(1).join('\n') });
      }
      throw error;
    }
  };
  const client = {
    run: (runnable: unknown, call?: CallOptions) =>
      told(async () => server.run(generated.compile(runnable), call)),
    cached: (runnable: unknown, call?: CallOptions) =>
      told(async () => server.cached(plainQuery(generated.compile(runnable)), call)),
    close: () => {
      channel.isClosed = true;
      for (const giveUp of channel.underWay) giveUp();
      cache.clear();
    },
  };
  return client as Client;
}

function channelOf(options: ClientOptions, world: World): Channel {
  const fetch: Fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  return {
    options,
    world,
    exchange: exchangeOver(fetch, options.use ?? []),
    tokens: new Tokens(options.token),
    headers: checkedHeaders(options.headers ?? {}),
    underWay: new Set(),
    isClosed: false,
  };
}

function plainQuery<T>(compiled: Compiled<T>): Compiled<T> {
  if (compiled.relationBody !== undefined) return compiled;
  throw new BuildError(
    `${compiled.name}: only queries can be kept, and this is a ${compiled.kind}`,
  );
}
