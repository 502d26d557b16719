/**
 * Reading through several sources at once.
 *
 * Nouns: a *source* (memtable, table, run) answers point reads and opens *internal cursors*, which carry version and deletion. Each
 * source's cursor shows at most one version a key, the newest visible one, so that merging only has to prefer newer sources.
 * `findNewest` answers a point read over sources, `scanNewest` is the public cursor of a snapshot, `mergeVersions` feeds
 * compaction. Everything is polled: a `Pending` means ask the same again later. Sources are always listed newest first.
 */

export { HashPair, hashKey } from '../key/key-hash.ts';
export { emptyCursor } from './empty-cursor.ts';
export type { InternalCursor } from './internal-cursor.ts';
export { Lookup } from './lookup.ts';
export { findNewest, mergeVersions, scanNewest } from './read-sources.ts';
export type { Source } from './source.ts';
