/** Bounds and planted bugs of the model of a bucket. */

import { parseSetting, type Setting } from '../setting.ts';

export const flags = {
  noListAfter: 'a publisher trusts its 200 and does not list past its id',
  noListAfterClaim: 'an opener fences the log before it listed past its claim',
  stepOverNewer: 'an opener that meets a newer epoch in the log goes on',
  noOpenCheck: 'an opener accepts commits after its fence without a last look at the manifests',
  fenceGc: 'GC deletes fences too',
  gcKeepsOwn: 'GC keeps the manifest that its own process published last, not the newest',
  noNonce: 'read-back compares contents, not nonces',
  trust412: 'a 412 is believed; nothing is read back',
  retryRebuilds: 'a publisher in doubt sends new contents under the old nonce',
  deleteUnconfirmed: 'GC starts on the 200 of a publish, before the listing',
  deleteUnpublished: 'GC starts before the manifest is sent',
  sweepAny: 'the orphan sweep takes tables of all epochs, with no look at the manifests after it',
  ignorePins: 'GC does not look at the pins',
  pinsFirst: 'GC goes by the pins listed before the publish that dropped the tables',
  pinAfterList: 'a reader looks at the manifests, then pins',
  pinUnconfirmed: 'a reader takes a timeout of its pin for success',
  pinNameReused: 'a reader pins again under a name that it unpinned',
  presenceCheck: 'a reader checks that its manifest still exists, not that it is the newest',
  readLate: 'a reader fetches its manifest after the check instead of before',
  // Variants that show what a check is for, or that another would do.
  gapCheck: 'an opener that finds an id absent in the log looks for later ones, and stops at a gap',
  sweepLooksAgain: 'sweepAny, but with a listing of the manifests after that of the tables',
  keepManifests: 'GC never deletes a manifest',
  keepTwo: 'GC keeps the manifest before the newest as well',
  safetyOnly: 'that a leader is never fenced by a writer that lost is not checked',
};

export type Flag = keyof typeof flags;

export const defaultBounds = {
  /** Processes; each opens at most once and has its own GC. */
  writers: 2,
  /** Of each writer. */
  commits: 1,
  /** Flushes and compactions of each writer; its claim does not count. */
  publishes: 1,
  readers: 0,
  /** 1: a writer may close in order, and leaves a fence behind its last commit. */
  closes: 0,
  /** Requests that wait in the network for a later moment. */
  net: 1,
  /** Acknowledged commits in the log of a running writer 0, at the start. */
  log: 1,
  /** The same in tables; without both, the bucket is empty and nobody runs. */
  tables: 1,
  /** Where to give up. */
  states: 16_000_000,
};

export type BucketSetting = Setting<typeof defaultBounds, Flag>;

export function bucketSetting(words: string): BucketSetting {
  return parseSetting(words, defaultBounds, flags);
}
