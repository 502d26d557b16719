/** Compiled statements by their text. All sessions of a server share them. */

import type { Catalog } from '#catalog';
import type { CompileSetting, PlacedStatement, SqlType } from '#sql';
import { CompiledStatement, type PlanShelf } from './compiled-statement.ts';
import type { SqlLanguage } from './language.ts';

/** Maximum length of all texts, in characters, and maximum number of statements. */
const textMax = 8 << 20;
const statementsMax = 10_000;
/** A longer text is compiled at each use, because it rarely recurs. */
const oneTextMax = 64 << 10;

export interface CompileRequest {
  readonly language: SqlLanguage;
  readonly text: string;
  readonly placed: PlacedStatement;
  readonly types: readonly (SqlType | undefined)[];
  readonly setting: CompileSetting;
  readonly shelf: PlanShelf;
}

interface Entry {
  readonly catalog: Catalog;
  readonly statement: CompiledStatement;
  readonly length: number;
}

export class StatementCache {
  /** The least recently used entry is the first. */
  private readonly entries = new Map<string, Entry>();
  private length = 0;

  /** Returns the statement, compiled for the catalog of the setting. Throws what the compiler throws. */
  compile(request: CompileRequest): CompiledStatement {
    const key = keyOf(request);
    const { catalog } = request.setting;
    const found = this.entries.get(key);
    if (found !== undefined) {
      this.entries.delete(key);
      if (found.catalog === catalog) {
        this.entries.set(key, found);
        return found.statement;
      }
      this.length -= found.length;
      found.statement.dispose();
    }
    const statement = this.compiled(request);
    const { isCatalogChange, pinned } = statement.compiled;
    if (key.length <= oneTextMax && !isCatalogChange && pinned.length === 0) {
      this.add(key, { catalog, statement, length: key.length });
    }
    return statement;
  }

  private add(key: string, entry: Entry): void {
    this.entries.set(key, entry);
    this.length += entry.length;
    while (this.length > textMax || this.entries.size > statementsMax) {
      const [oldest] = this.entries;
      if (oldest === undefined) return;
      this.entries.delete(oldest[0]);
      this.length -= oldest[1].length;
      oldest[1].statement.dispose();
    }
  }

  private compiled({ language, text, placed, types, setting, shelf }: CompileRequest) {
    const { statement } = placed;
    if (statement.kind !== 'program') throw new Error('only programs are compiled');
    const parameterTypes = Array.from({ length: placed.parametersMax }, (_, i) => types[i]);
    const { node } = statement;
    const compiled = language.compile({ node, text, parameterTypes, literals: [], setting });
    return new CompiledStatement(compiled, shelf);
  }
}

/** The part of the text and all settings that decide what it means. */
function keyOf({ text, placed, types, setting, shelf }: CompileRequest): string {
  const { mode, searchPath, timeZone, unixMs } = setting;
  const oids = types.map((type) => type?.oid ?? 0);
  const parts = [shelf.visibilityClass, mode, unixMs, timeZone, searchPath.join('\u0001'), oids];
  return `${parts.join('\u0000')}\u0000${text.slice(placed.start, placed.end)}`;
}
