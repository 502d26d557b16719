/** The client that applications hold: queries in, native values out. */

import { originOf } from './address.ts';
import type { Channel } from './attempts.ts';
import { BuildError } from './build-error.ts';
import { answerCache } from './cache.ts';
import type { Client } from './client-api.ts';
import { copyRows, type Insertable } from './copy.ts';
import { directFetch } from './direct-fetch.ts';
import { SvcError, TransportError } from './errors.ts';
import { exchangeOver, type Fetch } from './exchange.ts';
import { guardOf } from './guard.ts';
import { checkedHeaders, tokensOf } from './headers.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import type { Compiled, Generated, Page, PageOptions, Params } from './seam.ts';
import { type Server, serverAt } from './server.ts';
import { type WatchOptions, watching } from './watch.ts';
import { systemWorld, type World } from './world.ts';

/** Throws BuildError for options that no request can be made with. */
export function createClient(
  generated: Generated,
  options: ClientOptions,
  world: World = systemWorld,
): Client {
  const channel = channelOf(options, world);
  const cache = answerCache(options.cache);
  const over = (url: string, isReader: boolean) => {
    const origin = originOf(url);
    const guard = guardOf(origin, channel, generated);
    return membersOver(serverAt(origin, channel, guard, cache), channel, generated, isReader);
  };
  const { url, readerUrl = url } = options;
  const members = {
    ...over(url, false),
    reader: over(readerUrl, true),
    close: () => {
      channel.isClosed = true;
      for (const giveUp of channel.underWay) giveUp();
      cache.clear();
    },
  };
  return members as object as Client;
}

function channelOf(options: ClientOptions, world: World): Channel {
  const fetch: Fetch = options.fetch ?? directFetch;
  return {
    options,
    world,
    exchange: exchangeOver(fetch, options.use ?? []),
    tokens: tokensOf(options.token),
    headers: checkedHeaders(options.headers ?? {}),
    underWay: new Set(),
    isClosed: false,
  };
}

/** What can be asked of one server; untyped, the types are those of client-api.ts. */
function membersOver(
  server: Server,
  channel: Channel,
  generated: Generated,
  isReader: boolean,
): object {
  const allowed = (compiled: Compiled) => {
    if (compiled.readOnly || !isReader) return compiled;
    throw new BuildError(`${compiled.name}: a reader runs queries only`);
  };
  const compile = (runnable: unknown) => allowed(generated.compile(runnable));
  const query = (runnable: unknown) => {
    const compiled = compile(runnable);
    if (compiled.relationBody !== undefined) return compiled;
    throw new BuildError(`${compiled.name}: only queries can be kept, not programs`);
  };
  const answer = async (compiled: Compiled, call?: CallOptions) => {
    const { answer, isShort } = await server.execute(compiled, call);
    return compiled.decode(answer.result, isShort);
  };
  const plan = async (runnable: unknown, parameters: string, call?: CallOptions) =>
    (await server.execute(compile(runnable), call, parameters)).answer;
  const page = async (runnable: unknown, options: PageOptions & CallOptions) =>
    answer(generated.page(runnable, options), options) as Promise<Page<unknown>>;

  const members = {
    run: async (runnable: unknown, call?: CallOptions) => answer(compile(runnable), call),
    cached: async (runnable: unknown, call?: CallOptions) =>
      (await server.fresh(query(runnable), call)).value,
    page,
    explain: async (runnable: unknown, call?: CallOptions) =>
      (await plan(runnable, '?show-plan=true&dry-run=true', call)).plan,
    check: async (runnable: unknown, call?: CallOptions) => {
      await plan(runnable, '?dry-run=true', call);
    },
    analyze: async (runnable: unknown, level?: string, call?: CallOptions) => {
      const compiled = compile(runnable);
      const ask = (more?: Readonly<Record<string, string>>) =>
        server.execute(compiled, call, '?show-plan=true', more);
      let refused: string | undefined;
      const found = await ask(level === undefined ? undefined : { 'svc-diagnostics': level }).catch(
        (error) => {
          // Refused before anything has run.
          if (error.reason !== 'diagnostics_rejected') throw error;
          refused = error.detail;
          return ask();
        },
      );
      const { result, plan, _svc } = found.answer;
      return {
        result: compiled.decode(result, found.isShort),
        plan,
        diagnostics: _svc?.diagnostics,
        refused,
      };
    },
    raw: async (program: RawProgram, call?: CallOptions) => {
      const statements = Array.isArray(program.statements) ? program.statements : [];
      const { answer } = await server.execute(
        allowed({
          name: 'raw',
          kind: 'program',
          readOnly: statements.every(({ kind }) => kind === 'query'),
          body: JSON.stringify(program),
          decode: (result) => result,
          locate: (pointer) => pointer,
        }),
        call,
      );
      return answer;
    },
    copy: async (table: Insertable<unknown>, rows: Iterable<unknown>, call?: CallOptions) =>
      copyRows(table, rows, compile, (compiled) => answer(compiled, call)),
  };
  return {
    ...(channel.options.debug ? withCallSites(members) : members),
    prepare: (name: string, params: Params, make: (values: never) => unknown) => {
      if (generated.prepare === undefined)
        throw new BuildError(`${name}: queries are compiled already`);
      const textOf = generated.prepare(name, params, make);
      const ask = async (values: Readonly<Record<string, unknown>>, call?: CallOptions) =>
        answer(allowed(textOf(values)), call);
      return channel.options.debug ? withCallSites({ ask }).ask : ask;
    },
    watch: (runnable: unknown, options: WatchOptions = {}) => {
      const compiled = query(runnable);
      return watching(channel, options, (signal, last) =>
        server.fresh(compiled, { ...options, signal }, last),
      );
    },
    async *pages(runnable: unknown, size: number, call?: CallOptions) {
      let after: string | null | undefined;
      do {
        const { rows, next } = await page(runnable, { ...call, size, after });
        if (rows.length > 0) yield rows;
        after = next;
      } while (after !== null);
    },
  };
}

interface RawProgram {
  readonly statements?: readonly { readonly kind?: unknown }[];
}

type Member = (...parts: never[]) => Promise<unknown>;

/** The same members, whose errors know where they were called. */
function withCallSites<M extends Readonly<Record<string, Member>>>(members: M): M {
  const told: Record<string, Member> = {};
  for (const name of Object.keys(members)) {
    told[name] = async (...parts) => {
      const { stack = '' } = new Error('called');
      try {
        return await members[name]?.(...parts);
      } catch (error) {
        if (error instanceof SvcError || error instanceof TransportError) {
          Object.assign(error, { callSite: stack.split('\n').slice(2).join('\n') });
        }
        throw error;
      }
    };
  }
  return told as M;
}
