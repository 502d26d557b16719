/** The program that a file holds: one of PIR, or one query of LIR, which is a program of one statement then. */

import { createReadStream } from 'node:fs';
import { withoutByteOrderMark } from '#base';
import { CommandFailure } from '../frame/command-failure.ts';
import { unreadable } from '../project/config.ts';

export interface ProgramInput {
  /** As messages name it. */
  readonly shown: string;
  /** A program, as JSON text: numbers are as they were written. */
  readonly text: string;
  readonly statements: readonly InputStatement[];
}

interface InputStatement {
  readonly name: string;
  readonly kind: string;
}

/** Of the one statement that a query becomes. */
const queryName = 'query';
/** No server takes more; a device or a pipe may never end. */
const bytesMax = 2 ** 26;

/** `-` is stdin. */
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
    throw wrong(`${shown} is no JSON: ${why}`);
  }
  if (typeof document === 'object' && document !== null && !Array.isArray(document)) {
    return document as Members;
  }
  throw wrong(`${shown} holds no JSON object`, '`svc docs pir` shows a program');
}

/** What is wrong with one, the server says. */
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
      if (length > bytesMax) throw wrong(`more than ${bytesMax / 2 ** 20} MiB come from ${shown}`);
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
