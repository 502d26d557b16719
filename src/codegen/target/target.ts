/** What one generated client is to be: one member of the list `generate` in `svc.config.yaml`. */

export const languages = ['typescript', 'go', 'python'] as const;
export type Language = (typeof languages)[number];

/** Line and column count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A value with the place that messages name; undefined where a flag gave it. */
export interface Placed<T> {
  readonly value: T;
  readonly at: Position | undefined;
}

export const int64Modes = ['bigint', 'number', 'string'] as const;
export type Int64Mode = (typeof int64Modes)[number];

export interface ColumnRule {
  readonly int64?: Int64Mode;
  /** A native type in place of the column's own. */
  readonly type?: string;
  /** The native type of JSON that a text column holds: it is parsed and printed. */
  readonly json?: string;
}

export interface Target {
  readonly at: Position | undefined;
  readonly language: Language;
  /** As configured: relative to the configuration file. */
  readonly output: string;
  readonly package: string;
  readonly emit: 'ts' | 'js';
  /** What imports of TypeScript modules end with. */
  readonly imports: 'js' | 'ts' | 'none';
  readonly int64: Int64Mode;
  readonly unixMs: 'number' | 'native';
  readonly ids: 'plain' | 'branded';
  readonly naming: 'preserve' | 'camel';
  /** What rows are in Python: objects, or dicts with types. */
  readonly rows: 'dataclass' | 'dict';
  /** By `table.column`. */
  readonly columns: ReadonlyMap<string, Placed<ColumnRule>>;
  /** By `table` or `table.column`. */
  readonly names: ReadonlyMap<string, Placed<string>>;
  /** Forward, back and, where the key's table only joins two others, from the table that it refers to through its own; by the name of the key. */
  readonly relations: ReadonlyMap<string, Placed<readonly string[]>>;
}

export function defaultTarget(language: Language, output: string): Target {
  return {
    at: undefined,
    language,
    output,
    package: 'db',
    emit: 'ts',
    imports: 'js',
    int64: 'bigint',
    unixMs: 'number',
    ids: 'plain',
    naming: 'preserve',
    rows: 'dataclass',
    columns: new Map(),
    names: new Map(),
    relations: new Map(),
  };
}

/** What is wrong with the configuration of a client. `at` is its place in the configuration file. */
export class TargetError extends Error {
  readonly at: Position | undefined;

  constructor(at: Position | undefined, message: string) {
    super(message);
    this.name = 'TargetError';
    this.at = at;
  }
}
