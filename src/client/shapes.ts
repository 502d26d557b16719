/** The server's responses about schemas (docs/http.md). */

import type { TableInfo } from '#catalog';

export interface DatabaseInfo {
  /** Missing in responses of earlier server versions. */
  readonly database_id?: string;
  readonly access: 'read' | 'write';
  readonly mode: 'direct' | 'schema';
  readonly schema_version: number;
  readonly schema_hash: string;
  readonly location?: string;
}

export interface SchemaState {
  readonly schema_version: number;
  readonly schema_hash: string;
  readonly schema: { readonly tables: readonly TableInfo[] };
  /** The row policies with names, as in a schema file; missing if there are none. */
  readonly policies?: object;
  /** Missing in responses of earlier server versions, and without the scope `schema`. */
  readonly policy_hash?: string;
}

export interface WireSchemaChange {
  readonly kind: string;
  readonly summary: string;
  readonly table?: string;
  readonly column?: string;
}

export interface WireDiffFinding extends WireSchemaChange {
  readonly rows?: number;
}

export interface SchemaDiff {
  readonly current_version: number;
  readonly current_hash: string;
  /** Missing in responses of earlier server versions. */
  readonly current_policy_hash?: string;
  readonly desired_hash: string;
  readonly changes: readonly WireSchemaChange[];
  readonly program: unknown;
  readonly destructive: readonly WireDiffFinding[];
  readonly blocking: readonly WireDiffFinding[];
}

export interface MigrateResult extends SchemaState {
  readonly changes: readonly WireSchemaChange[];
  readonly desired_hash: string;
  readonly state: 'ready' | 'converging';
  readonly transition_ids: readonly string[];
}

export interface WireTransition {
  readonly transition_id: string;
  readonly object_id: string;
  readonly transition_kind: string;
  readonly state: string;
  readonly generation: number;
  readonly prerequisites: readonly string[];
  readonly retained_work_state: string;
  readonly last_error?: string;
  readonly rows_scanned: number;
  readonly applied_delta: number;
  readonly delta_lag: number;
  /** Names. They are missing if the schema no longer has the object. */
  readonly table?: string;
  readonly object?: string;
}

export interface WireTransitionFilter {
  readonly kind?: string | undefined;
  readonly state?: string | undefined;
}

export interface Health {
  readonly status: string;
  readonly access: 'read' | 'write';
  readonly mode: 'direct' | 'schema';
}

const terminalStates = ['ready', 'failed', 'cancelled'];

export function isTerminal({ state }: WireTransition): boolean {
  return terminalStates.includes(state);
}
