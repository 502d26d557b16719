/** One statement of a text, recognized but not compiled. Only `program` is compiled; a session performs all others itself. */

import type { Node } from 'libpg-query';
import type { SqlType } from './types/sql-type.ts';

export type IsolationName =
  | 'serializable'
  | 'repeatable read'
  | 'read committed'
  | 'read uncommitted';

export interface TransactionModes {
  readonly isReadOnly?: boolean | undefined;
  readonly isolation?: IsolationName | undefined;
}

export type SqlStatement =
  /** A query, a change of rows or of the catalog. */
  | { readonly kind: 'program'; readonly node: Node }
  | { readonly kind: 'begin'; readonly modes: TransactionModes }
  | { readonly kind: 'commit' | 'rollback'; readonly chains: boolean }
  | { readonly kind: 'savepoint' | 'release' | 'rollback_to'; readonly name: string }
  /** `values` is absent for DEFAULT. A list of values is that of `search_path` or `DateStyle`. */
  | {
      readonly kind: 'set';
      readonly name: string;
      readonly values?: readonly string[] | undefined;
      readonly isLocal: boolean;
    }
  | {
      readonly kind: 'set_modes';
      readonly scope: 'transaction' | 'session';
      readonly modes: TransactionModes;
    }
  /** `name` is `all` or the name of a setting. */
  | { readonly kind: 'reset' | 'show'; readonly name: string }
  | { readonly kind: 'discard'; readonly what: 'all' | 'plans' | 'sequences' | 'temp' }
  | {
      readonly kind: 'prepare';
      readonly name: string;
      readonly types: readonly SqlType[];
      readonly statement: SqlStatement;
    }
  | { readonly kind: 'execute'; readonly name: string; readonly arguments: readonly Node[] }
  /** Without a name: all. */
  | { readonly kind: 'deallocate' | 'close'; readonly name?: string | undefined }
  | {
      readonly kind: 'declare';
      readonly name: string;
      readonly isHold: boolean;
      readonly isScroll: boolean;
      readonly isBinary: boolean;
      readonly statement: SqlStatement;
    }
  /** `count` may be negative for backward directions, which a session refuses. */
  | {
      readonly kind: 'fetch';
      readonly name: string;
      readonly count: number | 'all';
      readonly isMove: boolean;
    }
  | {
      readonly kind: 'explain';
      readonly statement: SqlStatement;
      readonly isAnalyze: boolean;
      readonly format: 'text' | 'json' | 'pir';
    }
  /** A statement without effect, answered with its tag and a notice: VACUUM, ANALYZE, LOCK, COMMENT, GRANT, REVOKE, NOTIFY, UNLISTEN. */
  | { readonly kind: 'notice'; readonly tag: string; readonly message: string };

/** A statement with its place in the text of a message. */
export interface PlacedStatement {
  readonly statement: SqlStatement;
  /** Position of the first character and after the last one in the text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** The number of parameters `$n` that the text mentions. */
  readonly parametersMax: number;
}
