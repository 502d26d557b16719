/** A parser of schema files for a server. A long file is parsed on a thread, so that other requests are not blocked. The thread is kept for the next file for a while. */

import { runSteps, type Scheduler, type Timer, type YieldPolicy } from '#base';
import type { ColumnDefinition, DeclaredTable } from '#catalog';
import { ExactNumber } from '#value';
import { sourceOf } from './decode.ts';
import { declareSchemaSteps, type ParsedSchema, parseSchema, type ReadSchema } from './parse.ts';

/** Maximum length, in UTF-16 units, of a text that is parsed on the calling thread. That takes a few milliseconds, less than the start of a thread. */
export const atOnceMax = 16 * 1024;

/** Time after which an idle thread is terminated to free its memory. The first file takes a thread several times as long as the next ones. */
const keptMs = 30_000;

export class SchemaReader {
  private readonly scheduler: Pick<Scheduler, 'after'>;
  private readonly start: () => Worker;
  private idle: Worker | undefined;
  private timer: Timer | undefined;
  private isClosed = false;

  constructor(scheduler: Pick<Scheduler, 'after'>, start = startSchemaThread) {
    this.scheduler = scheduler;
    this.start = start;
  }

  /** Like `parseSchema`. If `pace` cancels the work, the thread is terminated. */
  async parse(text: string, name: string, pace: YieldPolicy): Promise<ParsedSchema> {
    if (text.length <= atOnceMax) return parseSchema(text, name);
    const { content, found } = await this.readAside(text, pace);
    const read = { content: content && { ...content, tables: content.tables.map(revived) }, found };
    return runSteps(declareSchemaSteps(sourceOf(name, text), read, pace), pace);
  }

  /** Terminates the idle thread. */
  close(): void {
    this.isClosed = true;
    this.end();
  }

  private async readAside(text: string, pace: YieldPolicy): Promise<ReadSchema> {
    this.timer?.cancel();
    const thread = this.idle ?? this.started();
    this.idle = undefined;
    const answer = answerOf(thread, text);
    try {
      const read = await pace.wait(answer);
      this.keep(thread);
      return read;
    } catch (error) {
      // Terminating the thread rejects this promise, which no caller awaits any more.
      answer.catch(() => {});
      thread.terminate();
      throw error;
    }
  }

  private started(): Worker {
    const thread = this.start();
    thread.addEventListener('close', () => {
      if (this.idle === thread) this.end();
    });
    return thread;
  }

  private keep(thread: Worker): void {
    if (this.isClosed || this.idle !== undefined) {
      thread.terminate();
      return;
    }
    this.idle = thread;
    this.timer = this.scheduler.after(keptMs, () => this.end());
  }

  private end(): void {
    this.timer?.cancel();
    this.idle?.terminate();
    this.idle = undefined;
  }
}

async function answerOf(thread: Worker, text: string): Promise<ReadSchema> {
  const answer = Promise.withResolvers<ReadSchema>();
  const heard = ({ data }: MessageEvent<ReadSchema>) => answer.resolve(data);
  const lost = (event: Event) => {
    const { message = 'it ended without a result' } = event as Partial<ErrorEvent>;
    answer.reject(new Error(`the thread that parses a schema file: ${message}`));
  };
  thread.addEventListener('message', heard);
  thread.addEventListener('error', lost);
  thread.addEventListener('close', lost);
  thread.postMessage(text);
  try {
    return await answer.promise;
  } finally {
    thread.removeEventListener('message', heard);
    thread.removeEventListener('error', lost);
    thread.removeEventListener('close', lost);
  }
}

/** In the compiled program, entry points have their paths relative to `src/`. */
const entryPoint = Bun.isStandaloneExecutable
  ? './schema/file/schema-worker.ts'
  : './schema-worker.ts';

export function startSchemaThread(): Worker {
  return new Worker(new URL(entryPoint, import.meta.url).href, { ref: false } as WorkerOptions);
}

/** Restores instances of `ExactNumber`, which arrive from another thread as plain objects. */
function revived(table: DeclaredTable): DeclaredTable {
  return { ...table, columns: table.columns.map(revivedColumn) };
}

function revivedColumn(column: ColumnDefinition): ColumnDefinition {
  const given = column.default;
  if (given?.kind !== 'literal' || typeof given.value !== 'object') return column;
  const { source } = given.value as ExactNumber;
  return { ...column, default: { kind: 'literal', value: new ExactNumber(source) } };
}
