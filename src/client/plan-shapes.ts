/** Plans and diagnostics as servers show them: no part of the published contract, so nothing here is taken for granted that is not needed. */

export interface PlanNode {
  readonly operator: string;
  /** Unique in its statement. */
  readonly id: number;
  /** LIR node. */
  readonly node?: string;
  /** Of one run. */
  readonly estimated_rows: number;
  readonly estimated_from?: string;
  readonly rows_max?: number;
  readonly order?: readonly string[];
  readonly details: Readonly<Record<string, string | number | readonly string[]>>;
  /** Inputs, then the plans of crossings. */
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

/** Of an operator; times in microseconds. */
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

/** Times in microseconds. */
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
