/**
 * Plans and diagnostics in the form that servers return. They are not part of the published contract, so this code relies only on the members that it needs.
 */

export interface PlanNode {
  readonly operator: string;
  /** Unique within its statement. */
  readonly id: number;
  /** Id of the LIR node. */
  readonly node?: string;
  /** Rows of one run. */
  readonly estimated_rows: number;
  readonly estimated_from?: string;
  readonly rows_max?: number;
  readonly order?: readonly string[];
  readonly details: Readonly<Record<string, string | number | readonly string[]>>;
  /** The inputs, followed by the plans of the crossings. */
  readonly inputs: readonly PlanNode[];
}

export interface QueryView {
  readonly bindings: readonly { readonly title: string; readonly root: PlanNode }[];
  readonly root: PlanNode;
}

export interface StatementView {
  readonly name: string;
  readonly view: QueryView;
}

/** Measurements of one operator. Times are in microseconds. */
export interface OperatorMeasure {
  readonly operatorId: number;
  readonly opens?: number;
  readonly calls: number;
  readonly inclusiveMicros: number;
  readonly exclusiveMicros: number;
  readonly inputRows: number;
  readonly outputRows: number;
  readonly complete: boolean;
}

export interface StatementDiagnostics {
  readonly statement: string;
  readonly operatorTrace?: {
    readonly operators: readonly OperatorMeasure[];
    readonly dropped: number;
    readonly unattributedMicros: number;
  };
  readonly physicalStorage?: {
    readonly memoryCache: { readonly hits: number; readonly misses: number };
    readonly localCache: { readonly hits: number; readonly misses: number };
    readonly backingReads: {
      readonly calls: number;
      readonly bytes: number;
      readonly micros: number;
    };
  };
}

/** Diagnostics of one execution. Times are in microseconds. */
export interface ProgramDiagnostics {
  readonly durationUs: number;
  readonly planningUs: number;
  readonly executionUs: number;
  readonly kv: Readonly<Record<'gets' | 'scans' | 'iterated' | 'bytesRead', number>>;
  readonly statements: readonly {
    readonly name: string;
    readonly kind: string;
    readonly status: string;
    readonly affectedRows: number;
  }[];
  readonly truncated: boolean;
  readonly plans?: readonly StatementDiagnostics[];
}
