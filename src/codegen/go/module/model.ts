/** The schema as the emitter wants it: the part of the model of all clients that Go has a use for. Positions count from 0. */

export interface GoModel {
  readonly version: number;
  readonly hash: string;
  readonly tables: readonly GoTable[];
}

export interface GoTable {
  /** Schema id. */
  readonly id: number;
  /** As on the wire. */
  readonly name: string;
  readonly columns: readonly GoColumn[];
  /** The primary key, then each unique index. */
  readonly keys: readonly (readonly number[])[];
  readonly relations: readonly GoRelation[];
}

export interface GoColumn {
  /** Schema id. */
  readonly id: number;
  /** As on the wire. */
  readonly name: string;
  readonly type: 'text' | 'int64' | 'float64' | 'bool' | 'bytes';
  readonly format: string | undefined;
  readonly nullable: boolean;
  readonly hasDefault: boolean;
}

export interface GoRelation {
  /** What the rules of all languages propose. */
  readonly name: string;
  /** The foreign key that it follows. */
  readonly key: string;
  readonly direction: 'forward' | 'reverse' | 'through';
  readonly kind: 'one' | 'maybe' | 'many';
  /** The table that it leads to. */
  readonly table: number;
  readonly own: readonly number[];
  readonly theirs: readonly number[];
  readonly through:
    | {
        readonly table: number;
        readonly own: readonly number[];
        readonly theirs: readonly number[];
      }
    | undefined;
}

/** What the configuration says of a Go client. */
export interface GoTarget {
  readonly package: string;
  /** int64 columns of the format `unix_ms` as time.Time where it is `native`. */
  readonly unixMs: 'number' | 'native';
  /** By `table` or `table.column`. */
  readonly names: ReadonlyMap<string, { readonly value: string }>;
  /** Forward, back and through, by the name of the key. */
  readonly relations: ReadonlyMap<string, { readonly value: readonly string[] }>;
}
