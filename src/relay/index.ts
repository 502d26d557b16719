/**
 * How readers tell the writer what they have executed (docs/relay.md, operations.md §9).
 *
 * Nouns: a *batch* is what one process has executed since the last one, as JSON; a *source* is one process from its start to its end (`boot`), which
 * numbers its batches. The `sender` hands them out, the `receiver` takes each of them once.
 * Invariants: evidence may be lost, and is then counted; it never holds up a program, and never changes an answer. Everything is bounded.
 * Start reading at `batch.ts`.
 */

export { type Batch, encodeBatch } from './batch.ts';
export { decodeBatch } from './decode.ts';
export { Receiver } from './receiver.ts';
export { Sender } from './sender.ts';
