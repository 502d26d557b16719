/** The members of a client over one server; untyped, the types are those of client-api.ts. */

import { BuildError } from './build-error.ts';
import { withCallSites } from './call-sites.ts';
import type { Channel } from './channel.ts';
import { copyRows, type Insertable } from './copy.ts';
import type { CallOptions } from './options.ts';
import { analyzed, queryOnly, type Runner, rawProgram, runnerOver } from './runner.ts';
import type { Generated, Page, PageOptions, Params } from './seam.ts';
import type { Server } from './server.ts';
import { type WatchOptions, watching } from './watch.ts';

type Paging = (runnable: unknown, options: PageOptions & CallOptions) => Promise<Page<unknown>>;

/** `isReader`: queries alone may be asked. */
export function membersOver(
  server: Server,
  channel: Channel,
  generated: Generated,
  isReader: boolean,
): object {
  const { debug } = channel.options;
  const runner = runnerOver(server, generated, isReader);
  const { allowed, answer } = runner;
  const page: Paging = async (runnable, options) =>
    answer(generated.page(runnable, options), options) as Promise<Page<unknown>>;
  const members = { ...answersOf(server, runner), page };
  return {
    ...(debug ? withCallSites(members) : members),
    prepare: (name: string, params: Params, make: (values: never) => unknown) => {
      if (generated.prepare === undefined)
        throw new BuildError(`${name}: queries are compiled already`);
      const textOf = generated.prepare(name, params, make);
      const ask = async (values: Readonly<Record<string, unknown>>, call?: CallOptions) =>
        answer(allowed(textOf(values)), call);
      return debug ? withCallSites({ ask }).ask : ask;
    },
    watch: (runnable: unknown, options: WatchOptions = {}) => {
      const compiled = queryOnly(runner.compile(runnable));
      return watching(channel, options, (signal, last) =>
        server.fresh(compiled, { ...options, signal }, last),
      );
    },
    pages: (runnable: unknown, size: number, call?: CallOptions) =>
      pagesOf(page, runnable, size, call),
  };
}

/** The members that ask and have their answer, each one operation but for `copy`. */
function answersOf({ execute, fresh }: Server, { allowed, compile, answer }: Runner) {
  const plan = async (runnable: unknown, parameters: string, call?: CallOptions) =>
    (await execute(compile(runnable), call, parameters)).answer.plan;
  return {
    run: async (runnable: unknown, call?: CallOptions) => answer(compile(runnable), call),
    cached: async (runnable: unknown, call?: CallOptions) =>
      (await fresh(queryOnly(compile(runnable)), call)).value,
    explain: (runnable: unknown, call?: CallOptions) =>
      plan(runnable, '?show-plan=true&dry-run=true', call),
    check: async (runnable: unknown, call?: CallOptions) => {
      await plan(runnable, '?dry-run=true', call);
    },
    analyze: async (runnable: unknown, level?: string, call?: CallOptions) =>
      analyzed(execute, compile(runnable), level, call),
    raw: async (program: object, call?: CallOptions) =>
      (await execute(allowed(rawProgram(program)), call)).answer,
    copy: async (table: Insertable<unknown>, rows: Iterable<unknown>, call?: CallOptions) =>
      copyRows(table, rows, compile, (compiled) => answer(compiled, call)),
  };
}

async function* pagesOf(page: Paging, runnable: unknown, size: number, call?: CallOptions) {
  let after: string | null | undefined;
  do {
    const { rows, next } = await page(runnable, { ...call, size, after });
    if (rows.length > 0) yield rows;
    after = next;
  } while (after !== null);
}
