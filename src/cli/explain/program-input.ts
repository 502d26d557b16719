/** Reads a program from a file. The file contains a PIR program, or one LIR query, which becomes a program of one statement. */

import { createReadStream } from 'node:fs';
import { withoutByteOrderMark } from '#base';
import { CommandFailure } from '../frame/command-failure.ts';
import { unreadable } from '../project/config.ts';

export interface ProgramInput {
  /** The name of the file in messages. */
  readonly shown: string;
  /** The program as JSON text, with its numbers unchanged. */
  readonly text: string;
  readonly statements: readonly InputStatement[];
}

interface InputStatement {
  readonly name: string;
  readonly kind: string;
}

/** Name of the statement that contains a query. */
const queryName = 'query';
/** Maximum size of the input. No server accepts more, and a device or a pipe may never end. */
const bytesMax = 2 ** 26;

/** Reads a program. `-` means stdin. */
export async function readProgram(file: string): Promise<ProgramInput> {
  const shown = file === '-' ? 'stdin' : file;
  const text = await readText(file, shown);
  const document = parsed(text, shown);
  const { statements, nodes, root } = document;
  if (Array.isArray(statements)) {
    return { shown, text, statements: statements.map(statementOf) };
  }
  if (nodes === undefined || root === undefined) {
    throw wrong(
      `${shown} is neither a program (an object with \`statements\`) nor a query (\`nodes\` and \`root\`)`,
      '`svc docs pir` and `svc docs lir` show both',
    );
  }
  return {
    shown,
    text: `{"statements":[{"kind":"query","name":"${queryName}","relation":${text}}]}`,
    statements: [{ name: queryName, kind: 'query' }],
  };
}

type Members = Readonly<Record<string, unknown>>;

function parsed(text: string, shown: string): Members {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    const why = text.trim() === '' ? 'it is empty' : (error as Error).message;
    throw wrong(`${shown} is not JSON: ${why}`);
  }
  if (typeof document === 'object' && document !== null && !Array.isArray(document)) {
    return document as Members;
  }
  throw wrong(`${shown} does not contain a JSON object`, '`svc docs pir` shows a program');
}

/** Reads the name and the kind of a statement. The server reports invalid ones. */
function statementOf(statement: unknown): InputStatement {
  const { name, kind } = (statement ?? {}) as Members;
  return { name: String(name), kind: String(kind) };
}

async function readText(file: string, shown: string): Promise<string> {
  try {
    const pieces: Uint8Array[] = [];
    let length = 0;
    for await (const piece of file === '-' ? process.stdin : createReadStream(file)) {
      pieces.push(piece as Uint8Array);
      length += (piece as Uint8Array).length;
      if (length > bytesMax) throw wrong(`${shown} exceeds ${bytesMax / 2 ** 20} MiB`);
    }
    return withoutByteOrderMark(Buffer.concat(pieces).toString('utf8'));
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw wrong(unreadable(shown, error));
  }
}

function wrong(message: string, hint?: string): CommandFailure {
  return new CommandFailure({ code: 'program_unreadable', message, hint });
}
