/** The figures of `svc top` about a server, as data. */

import type { Rates } from './rates.ts';

export type TopFacts = ReturnType<typeof topFacts>;

const lookups = 'svc_program_template_lookups_total';
const cache = 'svc_storage_cache_accesses_total';

/** Returns the figures. Rates are per second, and durations are upper bounds in seconds. */
export function topFacts(rates: Rates) {
  const value = (name: string, ...words: readonly string[]) => rates.value(name, ...words) ?? 0;
  const per = (name: string, ...words: readonly string[]) => rates.perSecond(name, ...words);
  const admitted = (kind: string) => per('svc_program_admitted_total', `class="${kind}"`);
  const waiting = (what: string) => value('svc_program_waiting', `for="${what}"`);
  const cacheOf = (kind: string) => ({
    hits: rates.share(cache, 'result="hit"', `entry_kind="${kind}"`),
    bytes: value('svc_storage_cache_size_bytes', `entry_kind="${kind}"`),
    capacityBytes: value('svc_storage_cache_capacity_bytes', `entry_kind="${kind}"`),
  });
  return {
    requests: {
      rate: per('http_server_requests_total'),
      failed: per('http_server_requests_total', 'status_code="5'),
      refused: per('http_server_requests_total', 'status_code="4'),
      active: value('http_server_active_requests'),
      connections: value('svc_http_connections'),
    },
    programs: {
      rate: per('svc_program_executions_total'),
      failed: per('svc_program_executions_total', 'svc_status="error"'),
      active: value('svc_program_active'),
      rows: per('svc_program_affected_rows_total'),
      p50: rates.quantile('svc_program_duration_seconds', 0.5),
      p95: rates.quantile('svc_program_duration_seconds', 0.95),
      p99: rates.quantile('svc_program_duration_seconds', 0.99),
      known: rates.share(lookups, 'result="hit"'),
    },
    admission: {
      point: admitted('point'),
      query: admitted('query'),
      heavy: admitted('heavy'),
      queued: value('svc_program_queue_active'),
      slice: waiting('slice'),
      storage: waiting('storage'),
      exclusive: waiting('exclusive_turn'),
      ended: per('svc_program_ended_total'),
    },
    process: {
      processors: per('svc_process_cpu_time_seconds_total'),
      residentBytes: value('svc_process_memory_rss_bytes'),
      programBytes: value('svc_program_memory_used_bytes'),
      programPeakBytes: value('svc_program_memory_peak_bytes'),
      spillBytes: value('svc_program_spill_used_bytes'),
      spillLimitBytes: value('svc_program_spill_limit_bytes'),
    },
    caches: { data: cacheOf('data'), metadata: cacheOf('metadata') },
    commits: {
      rate: per('svc_storage_write_batches_total'),
      conflicts: per('svc_transaction_conflicts_total'),
      keys: per('svc_storage_write_operations_total'),
      groups: per('svc_storage_wal_buffer_flushes_total'),
      logBytes: per('svc_storage_wal_flush_bytes_total'),
      held: per('svc_storage_backpressure_events_total'),
    },
    store: {
      isAvailable: rates.value('svc_storage_available') !== 0,
      memtables: value('svc_storage_memtables'),
      memtableBytes: value('svc_storage_memtable_used_bytes'),
      flushes: value('svc_storage_memtable_flushes_total'),
      merges: value('svc_storage_compaction_active'),
      merged: value('svc_storage_compaction_jobs_total'),
      mergeBytes: per('svc_storage_compaction_written_bytes_total'),
      tables: value('svc_storage_lsm_ssts'),
      tableBytes: value('svc_storage_lsm_table_bytes'),
      runs: value('svc_storage_lsm_sorted_runs'),
      amplification: value('svc_storage_write_amplification_ratio'),
      damaged: value('svc_storage_damaged'),
    },
    transitions: {
      active: value('svc_schema_transitions', 'state="active"'),
      waiting: value('svc_schema_transitions', 'state="waiting"'),
      failed: value('svc_schema_transitions', 'state="failed"'),
    },
  };
}
