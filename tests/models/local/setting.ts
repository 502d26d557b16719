/** Bounds and planted bugs of the model of a directory. */

import { parseSetting, type Setting } from '../setting.ts';

export const flags = {
  noPostCheck: 'a writer acknowledges without looking for a later claim',
  checkFirst: 'a writer looks for a later claim before it writes, not after the sync',
  ackBeforeSync: 'a writer acknowledges before its sync',
  noSeal: 'an opener publishes no seals',
  noSyncOnRead: 'an opener relies on records that it has read, synced or not',
  noRewrite: 'an opener syncs what it has read, but does not write the last group again',
  tornCounts: 'a record counts whose checksum does not match',
  noSegmentDirSync: 'a writer uses a new segment before its name is durable',
  noListDirSync: 'a writer claims above a claim that may not be durable',
  noClaimDirSync: 'a claim counts before its name is durable',
  noManifestDirSync: 'a manifest counts before its name is durable',
  sealsUnsynced: 'a writer that closes seals a record that is not synced',
  trimFirst: 'segments are deleted before the manifest that covers them is confirmed',
  claimBelowNames: 'a claim that is missing is claimed again, below what is named after it',
  segmentUnnamed: 'a segment that the newest manifest names is empty when it is missing',
  reachIgnored: 'the log ends where it breaks, whatever the newest manifest says of it',
  strangersIgnored: 'records of an epoch above the newest manifest are passed over',
  manifestFirst: 'an opener names its segment before it is there',
  trimUnchecked: 'segments are deleted without looking for a later claim after the manifest',
};

export type Flag = keyof typeof flags;

export const defaultBounds = {
  /** Processes; a process that has died starts again as another one. */
  writers: 2,
  /** Of each writer. */
  commits: 1,
  /** Of each writer; each makes a manifest and deletes what it covers. */
  flushes: 1,
  /** How often the power may go, and how often a sync may fail. */
  outages: 1,
  failures: 1,
  /** Names and records that vanish while nobody runs. */
  losses: 0,
  /** Where to give up. */
  states: 16_000_000,
};

export type LocalSetting = Setting<typeof defaultBounds, Flag>;

export function localSetting(words: string): LocalSetting {
  return parseSetting(words, defaultBounds, flags);
}
