/**
 * Relays execution statistics from readers to the writer (docs/relay.md).
 *
 * Nouns: a *batch* is a JSON document with the executions of one process since its previous batch. A *source* is one run
 * of a process, identified by `boot`, which numbers its batches. The `sender` sends batches, and the `receiver` applies
 * each batch once.
 * Invariants: statistics may be lost, and losses are counted. The relay never delays a program and never changes a
 * result. All buffers are bounded.
 * Start reading at `batch.ts`.
 */

export { decodeBatch } from './decode.ts';
export { Receiver } from './receiver.ts';
export { encodeBatch, type RelayBatch } from './relay-batch.ts';
export { Sender } from './sender.ts';
