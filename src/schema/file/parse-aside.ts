/** Schema files that come while others have their requests: a long one is read on a thread of its own. */

import { type Pace, runSteps } from '#base';
import type { ColumnDefinition, DeclaredTable } from '#catalog';
import { ExactNumber } from '#value';
import { sourceOf } from './decode.ts';
import { declareSchemaSteps, type ParsedSchema, parseSchema, type ReadSchema } from './parse.ts';

/** Reading a shorter text takes a few milliseconds, less than starting a thread. */
export const atOnceMax = 16 * 1024;

/** As `parseSchema`. When the pace ends the work, the thread ends with it. */
export async function parseSchemaAside(
  text: string,
  name: string,
  pace: Pace,
): Promise<ParsedSchema> {
  if (text.length <= atOnceMax) return parseSchema(text, name);
  const { tables, found } = await readAside(text, pace);
  const read = { tables: tables?.map(revived), found };
  return runSteps(declareSchemaSteps(sourceOf(name, text), read, pace), pace);
}

async function readAside(text: string, pace: Pace): Promise<ReadSchema> {
  const thread = new Worker(new URL(entryPoint, import.meta.url).href);
  const answer = Promise.withResolvers<ReadSchema>();
  thread.onmessage = ({ data }: MessageEvent<ReadSchema>) => answer.resolve(data);
  const lost = (event: Event) => {
    const { message = 'it has ended' } = event as Partial<ErrorEvent>;
    answer.reject(new Error(`the thread that reads a schema file: ${message}`));
  };
  thread.addEventListener('error', lost);
  thread.addEventListener('close', lost);
  thread.postMessage(text);
  try {
    return await pace.wait(answer.promise);
  } finally {
    thread.removeEventListener('close', lost);
    thread.terminate();
  }
}

/** In the compiled program the entry points lie where they lay below `src/`. */
const entryPoint = Bun.isStandaloneExecutable
  ? './schema/file/schema-worker.ts'
  : './schema-worker.ts';

/** Members of classes come from another thread as plain objects. */
function revived(table: DeclaredTable): DeclaredTable {
  return { ...table, columns: table.columns.map(revivedColumn) };
}

function revivedColumn(column: ColumnDefinition): ColumnDefinition {
  const given = column.default;
  if (given?.kind !== 'literal' || typeof given.value !== 'object') return column;
  const { source } = given.value as ExactNumber;
  return { ...column, default: { kind: 'literal', value: new ExactNumber(source) } };
}
