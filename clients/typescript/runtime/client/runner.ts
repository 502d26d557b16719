/** Runs what the builder makes on one server, and decodes the answers. */

import { BuildError } from './build-error.ts';
import type { CallOptions } from './options.ts';
import type { Compiled, Generated } from './seam.ts';
import type { Server } from './server.ts';

export interface Runner {
  /** Throws BuildError for what writes, on a reader. */
  allowed(compiled: Compiled): Compiled;
  /** As `allowed`. */
  compile(runnable: unknown): Compiled;
  answer(compiled: Compiled, call?: CallOptions): Promise<unknown>;
}

export function runnerOver({ execute }: Server, generated: Generated, isReader: boolean): Runner {
  const allowed = (compiled: Compiled) => {
    if (compiled.readOnly || !isReader) return compiled;
    throw new BuildError(`${compiled.name}: a reader runs queries only`);
  };
  return {
    allowed,
    compile: (runnable) => allowed(generated.compile(runnable)),
    answer: async (compiled, call) => {
      const { answer, isShort } = await execute(compiled, call);
      return compiled.decode(answer.result, isShort);
    },
  };
}

/** Throws BuildError for what has more than one statement, or writes. */
export function queryOnly(compiled: Compiled): Compiled {
  if (compiled.relationBody !== undefined) return compiled;
  throw new BuildError(`${compiled.name}: only queries can be kept, not programs`);
}

/** Without diagnostics where the server refuses their level, and with its reason. */
export async function analyzed(
  execute: Server['execute'],
  compiled: Compiled,
  level?: string,
  call?: CallOptions,
): Promise<unknown> {
  const ask = (asked?: string) =>
    execute(compiled, call, '?show-plan=true', () =>
      asked === undefined ? undefined : { 'svc-diagnostics': asked },
    );
  let refused: string | undefined;
  const found = await ask(level).catch((error) => {
    // Refused before anything has run.
    if (error.reason !== 'diagnostics_rejected') throw error;
    refused = error.detail;
    return ask();
  });
  const { result, plan, _svc } = found.answer;
  const diagnostics = _svc?.diagnostics;
  return { result: compiled.decode(result, found.isShort), plan, diagnostics, refused };
}

/** A program as it stands on the wire. */
export function rawProgram(program: {
  readonly statements?: readonly { readonly kind?: unknown }[];
}): Compiled {
  const statements = Array.isArray(program.statements) ? program.statements : [];
  return {
    name: 'raw',
    kind: 'program',
    readOnly: statements.every(({ kind }) => kind === 'query'),
    body: JSON.stringify(program),
    decode: (result) => result,
    locate: (pointer) => pointer,
  };
}
