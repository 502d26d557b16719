/** Scenarios in other languages: a program lists them as JSON, and runs those that its standard input names. */

import { afterAll } from 'bun:test';
import type { Scenario } from './scenario.ts';

type ListedScenario = Pick<Scenario, 'name'> & {
  readonly tables: Scenario['tables'] | null;
  readonly later: string | null;
};

interface Outcome {
  readonly message?: string;
  readonly code?: string | null;
}

/** `command` is the program without its last argument, `list` or `run`. */
export function scenariosOf(command: readonly string[]): readonly Scenario[] {
  const list = Bun.spawnSync([...command, 'list']);
  if (list.exitCode !== 0) throw new Error(list.stderr.toString());
  const process = new ScriptProcess([...command, 'run']);
  afterAll(() => process.end());
  const rows = JSON.parse(list.stdout.toString()) as readonly ListedScenario[];
  return rows.map(({ name, tables, later }) => ({
    name,
    tables: tables ?? [],
    ...(later === null ? {} : { later }),
    run: ({ kind, host, port }) => process.run({ name, kind, host, port }),
  }));
}

/** Reads requests as lines of JSON, and answers each with a line. */
class ScriptProcess {
  private readonly command: readonly string[];
  private child: Bun.Subprocess<'pipe', 'pipe', 'inherit'> | undefined;
  private lines: AsyncIterator<string> | undefined;

  constructor(command: readonly string[]) {
    this.command = command;
  }

  /** Throws the error of the scenario. */
  async run(request: Readonly<Record<string, unknown>>): Promise<void> {
    this.child ??= Bun.spawn([...this.command], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
    });
    this.lines ??= linesOf(this.child.stdout);
    this.child.stdin.write(`${JSON.stringify(request)}\n`);
    this.child.stdin.flush();
    const { value, done } = await this.lines.next();
    if (done === true) throw new Error(`${this.command[1]}: the process ended`);
    const { message, code } = JSON.parse(value) as Outcome;
    if (message !== undefined) throw new ScriptError(message, code ?? undefined);
  }

  async end(): Promise<void> {
    this.child?.kill('SIGKILL');
    await this.child?.exited;
  }
}

class ScriptError extends Error {
  readonly code: string | undefined;

  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      yield text.slice(0, end);
      text = text.slice(end + 1);
    }
  }
}
