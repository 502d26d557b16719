/** The configuration of one generated client: one member of the list `generate` in `svc.config.yaml`. */

export const languages = ['typescript', 'go', 'python'] as const;
export type Language = (typeof languages)[number];

/** Line and column count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A value with its position for messages. The position is `undefined` if a flag set the value. */
export interface Placed<T> {
  readonly value: T;
  readonly at: Position | undefined;
}

export const int64Modes = ['bigint', 'number', 'string'] as const;
export type Int64Mode = (typeof int64Modes)[number];

export interface ColumnRule {
  readonly int64?: Int64Mode;
  /** A native type in place of the column's own type. */
  readonly type?: string;
  /** The native type of the JSON in a text column. The client parses and serializes it. */
  readonly json?: string;
}

export interface Target {
  readonly at: Position | undefined;
  readonly language: Language;
  /** Output directory, relative to the configuration file. */
  readonly output: string;
  readonly package: string;
  readonly emit: 'ts' | 'js';
  /** Ending of the paths in imports of TypeScript modules. */
  readonly imports: 'js' | 'ts' | 'none';
  readonly int64: Int64Mode;
  readonly unixMs: 'number' | 'native';
  readonly ids: 'plain' | 'branded';
  readonly naming: 'preserve' | 'camel';
  /** Representation of rows in Python: objects, or dicts with types. */
  readonly rows: 'dataclass' | 'dict';
  /** Keyed by `table.column`. */
  readonly columns: ReadonlyMap<string, Placed<ColumnRule>>;
  /** Keyed by `table` or `table.column`. */
  readonly names: ReadonlyMap<string, Placed<string>>;
  /**
   * The names of relations, keyed by foreign key: forward, reverse, and through. The third name exists only if the key's table only joins two
   * others. The relation with this name leads from the referenced table through the key's table.
   */
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

/** An error in the configuration of a client. `at` is its position in the configuration file. */
export class TargetError extends Error {
  readonly at: Position | undefined;

  constructor(at: Position | undefined, message: string) {
    super(message);
    this.name = 'TargetError';
    this.at = at;
  }
}
