export type {
  CommitOptions,
  CommitOutcome,
  Direction,
  EntryCursor,
  KeyRange,
  ReadView,
  Snapshot,
  Store,
  Transaction,
  WritePressure,
} from './store.ts';
