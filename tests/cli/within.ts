/** Commands in this process: with a terminal or without, with somebody who answers, and a server that says what the test wants. */

import { afterAll, spyOn } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld, type World } from '#base';
import type { WireTransition } from '#client';
import { type ReportedError, reportedErrorOf } from '../../src/cli/frame/reported-error.ts';
import { interruptedFailure, type Shell } from '../../src/cli/frame/shell.ts';
import { commandTree } from '../../src/cli/main.ts';

export interface Heard {
  readonly shell: Shell;
  /** What was said on stderr. */
  readonly said: string[];
  readonly redrawn: string[];
  readonly asked: string[];
}

export interface ShellOptions {
  readonly mode?: Shell['mode'];
  readonly isTerminal?: boolean;
  /** What somebody answers, in turn; without it nobody is there. */
  readonly answers?: readonly string[];
  readonly env?: Shell['env'];
  readonly world?: World;
  /** Ctrl-C is pressed when it is aborted. */
  readonly interrupt?: AbortSignal;
}

export function shellFor(options: ShellOptions = {}): Heard {
  const { mode = 'text', isTerminal = false, env = {}, world = systemWorld() } = options;
  const { interrupt = new AbortController().signal } = options;
  const answers = [...(options.answers ?? [])];
  const said: string[] = [];
  const redrawn: string[] = [];
  const asked: string[] = [];
  const shell: Shell = {
    mode,
    isInteractive: options.answers !== undefined,
    isTerminal,
    env,
    world,
    async ask(question) {
      asked.push(question);
      return answers.shift() ?? '';
    },
    dropTypedAhead: () => {},
    interruption: () => ({
      happened: new Promise((_, reject) => {
        interrupt.addEventListener('abort', () => reject(interruptedFailure()));
      }),
      signal: interrupt,
      [Symbol.dispose]: () => {},
    }),
    say: (line) => void said.push(Bun.stripANSI(line)),
    note: (line) => void said.push(Bun.stripANSI(line)),
    notes: [],
    redraw: (line) => void redrawn.push(line),
  };
  return { shell, said, redrawn, asked };
}

export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly trouble: ReportedError | undefined;
}

/** As `main` does it, but for printing the trouble. */
export async function runWithin(shell: Shell, argv: readonly string[]): Promise<Ran> {
  let exitCode = 0;
  const lines: string[] = [];
  const log = spyOn(process.stdout, 'write').mockImplementation((text) => {
    lines.push(String(text).replace(/\n$/, ''));
    return true;
  });
  const ran = (trouble?: ReportedError): Ran => ({
    exitCode: trouble?.exitCode ?? exitCode,
    stdout: Bun.stripANSI(lines.join('\n')),
    trouble,
  });
  try {
    const program = commandTree(shell, (code) => (exitCode = code));
    await program.parseAsync(argv, { from: 'user' });
    return ran();
  } catch (error) {
    return ran(reportedErrorOf(error));
  } finally {
    log.mockRestore();
  }
}

export interface Answering extends Disposable {
  readonly url: string;
  /** `METHOD /path body`, in the order in which they came. */
  readonly requests: string[];
}

/** A server that knows an answer to `METHOD /path`, or a function that makes one; 404 to all else. */
export function answering(routes: Readonly<Record<string, unknown>>): Answering {
  const requests: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const name = `${request.method} ${pathname}${search}`;
      requests.push(`${name} ${await request.text()}`.trim());
      const found = routes[name];
      const answer: unknown = typeof found === 'function' ? await found() : found;
      if (answer instanceof Response) return answer;
      if (answer !== undefined) return Response.json(answer);
      return Response.json({ status: 404, title: 'Not Found', code: 'not_found' }, { status: 404 });
    },
  });
  return {
    url: `svc://127.0.0.1:${server.port}`,
    requests,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

const home = mkdtempSync(join(tmpdir(), 'svc-within-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** A directory of its own, until the tests of the file have ended. */
export function newDirectory(): string {
  mkdirSync(home, { recursive: true });
  return mkdtempSync(join(home, 'd-'));
}

/** The configuration of a new project whose database is at `url`; its path. */
export function projectAt(url: string, schema?: string): string {
  const root = newDirectory();
  writeFileSync(join(root, 'svc.config.yaml'), `database_url: ${url}\n`);
  if (schema !== undefined) writeFileSync(join(root, 'svc.schema.yaml'), schema);
  return join(root, 'svc.config.yaml');
}

export function transitionIn(state: string, more: Partial<WireTransition> = {}): WireTransition {
  return {
    transition_id: 'tr1',
    object_id: 'ix5',
    transition_kind: 'index_build',
    state,
    generation: 1,
    prerequisites: [],
    retained_work_state: 'normal',
    rows_scanned: 0,
    applied_delta: 0,
    delta_lag: 0,
    ...more,
  };
}
