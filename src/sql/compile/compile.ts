/** Compiles one statement: from its parse tree to a program with places for values. */

import type { Node } from 'libpg-query';
import type { Query } from '#lir';
import type { Program } from '#pir';
import type { CompileInput } from '../compile-input.ts';
import type { Compiled, SqlColumn } from '../compiled.ts';
import { compileDdl, isDdl } from '../ddl/compile-ddl.ts';
import { Compilation } from './compilation.ts';
import { compileDelete, compileTruncate } from './delete.ts';
import { compileInsert } from './insert.ts';
import { instantiate, latePartsOf } from './late.ts';
import { type CompiledQuery, draftOf } from './query.ts';
import { compileUpdate } from './update.ts';
import type { WriteProgram } from './write-program.ts';

/** Throws an `SqlError` for a statement that is wrong or that svc does not have. */
export function compile(input: CompileInput): Compiled {
  if (isDdl(input.node)) return compileDdl(input);
  const compilation = new Compilation(input);
  const { node } = input;
  if ('SelectStmt' in node) {
    const query = draftOf(compilation, node.SelectStmt, undefined).finish();
    const statement = {
      kind: 'query',
      name: 'q',
      relation: relationOf(compilation, query),
    } as const;
    return compiled(compilation, {
      tag: 'SELECT',
      program: { statements: [statement] },
      columns: query.columns,
      isReadOnly: true,
    });
  }
  const write = writeOf(compilation, node);
  if (write !== undefined) return compiledWrite(compilation, write);
  throw compilation.unsupported(`the statement ${Object.keys(node)[0]}`, undefined);
}

function writeOf(compilation: Compilation, node: Node): WriteProgram | undefined {
  if ('InsertStmt' in node) return compileInsert(compilation, node.InsertStmt);
  if ('UpdateStmt' in node) return compileUpdate(compilation, node.UpdateStmt);
  if ('DeleteStmt' in node) return compileDelete(compilation, node.DeleteStmt);
  if ('TruncateStmt' in node) return compileTruncate(compilation, node.TruncateStmt);
  return undefined;
}

/** Completes the relation that has been built: all rows of the query. */
function relationOf(compilation: Compilation, query: CompiledQuery): Query {
  const unordered = query.isOrdered ? {} : { unordered: true };
  return compilation.take({ node: query.node, cardinality: 'many', ...unordered });
}

interface Parts {
  readonly tag: string;
  readonly program: Program;
  readonly columns: CompiledQuery['columns'] | undefined;
  readonly isReadOnly: boolean;
  readonly counted?: readonly string[] | undefined;
}

/** Makes the result of the compiler. */
function compiled(compilation: Compilation, parts: Parts): Compiled {
  const { tag, program, columns, isReadOnly, counted } = parts;
  const { late } = compilation;
  const variable = latePartsOf(program, late);
  return {
    tag,
    counted,
    isCounted: true,
    isReadOnly,
    isCatalogChange: false,
    parameters: compilation.parameterTypes(),
    columns: columns?.map(shown),
    pinned: [...compilation.pinned],
    effects: compilation.effects,
    variant: (values) => variable.map((part) => part.variant(values)).join(''),
    instantiate: (values) => instantiate(program, late, values),
  };
}

function shown(column: CompiledQuery['columns'][number]): SqlColumn {
  const { name, type, tableId, columnId, isNested } = column;
  return { name, type, shape: { kind: isNested ? 'array' : 'scalar' }, tableId, columnId };
}

function compiledWrite(compilation: Compilation, write: WriteProgram): Compiled {
  const { tag, statements, counted, returned } = write;
  const result = returned?.name ?? statements.at(-1)?.name ?? '';
  const parts = { tag, program: { statements, result }, columns: undefined, counted };
  const base = compiled(compilation, { ...parts, isReadOnly: false });
  return { ...base, columns: returned?.columns, isCounted: tag !== 'TRUNCATE TABLE' };
}
