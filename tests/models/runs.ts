/** The runs of the models and what each must end with. `quick` ones are part of `npm test`. */

import { bucketModel } from './bucket/model.ts';
import { bucketSetting } from './bucket/setting.ts';
import { explore, type Outcome, type Progress } from './explore.ts';
import { localModel } from './local/model.ts';
import { localSetting } from './local/setting.ts';

export interface Run {
  readonly model: 'bucket' | 'local';
  /** The setting, in words. */
  readonly words: string;
  readonly expected: 'exhausted' | 'violation';
  readonly size: 'quick' | 'short' | 'long';
}

export function carryOut(
  { model, words }: Pick<Run, 'model' | 'words'>,
  look?: (progress: Progress) => void,
): Outcome {
  if (model === 'bucket') {
    const setting = bucketSetting(words);
    return explore(bucketModel(setting), setting.bounds.states, look);
  }
  const setting = localSetting(words);
  return explore(localModel(setting), setting.bounds.states, look);
}

type Group = Omit<Run, 'words'>;

function runsOf(group: Group, ...settings: readonly string[]): Run[] {
  return settings.map((words) => ({ ...group, words }));
}

const reader = 'readers=1 commits=0 tables=2 writers=1 publishes=2';

export const runs: readonly Run[] = [
  // Planted bugs, by the smallest bounds that show them.
  ...runsOf(
    { model: 'bucket', expected: 'violation', size: 'quick' },
    'noListAfter net=0 tables=0',
    'noListAfterClaim publishes=2 net=0',
    'stepOverNewer log=0 tables=0',
    'noOpenCheck writers=3 net=0 commits=0 tables=0',
    'fenceGc net=0',
    'gcKeepsOwn',
    'gcKeepsOwn safetyOnly',
    'noNonce log=0 tables=0',
    'trust412',
    'retryRebuilds publishes=2 tables=0',
    'deleteUnconfirmed tables=2 net=0',
    'deleteUnpublished',
    'sweepAny net=0',
    `ignorePins ${reader}`,
    `pinsFirst ${reader}`,
    `pinAfterList ${reader}`,
    `pinUnconfirmed ${reader}`,
    `pinNameReused ${reader}`,
    `presenceCheck ${reader}`,
    'readLate readers=1 commits=0 tables=0 net=0',
  ),
  ...runsOf(
    { model: 'local', expected: 'violation', size: 'quick' },
    'noPostCheck',
    'checkFirst',
    'ackBeforeSync',
    'noSeal',
    'noSyncOnRead writers=3 flushes=0 failures=0',
    'noRewrite writers=3 flushes=0',
    'tornCounts',
    'noSegmentDirSync',
    'noListDirSync writers=3',
    'noClaimDirSync',
    'noManifestDirSync',
    'sealsUnsynced',
    'trimFirst',
    'trimUnchecked',
    'manifestFirst',
    'claimBelowNames losses=1 outages=0 failures=0',
    'segmentUnnamed losses=1 outages=0 failures=0',
    'reachIgnored losses=1 outages=0 failures=0',
    'strangersIgnored losses=1 outages=0 failures=0',
  ),
  // The protocols as they are.
  ...runsOf(
    { model: 'bucket', expected: 'exhausted', size: 'quick' },
    'net=0 log=0 tables=1',
    'closes=1 net=0',
    'writers=1 commits=2 publishes=2',
    'readers=1 commits=0 net=0',
    reader,
    'noListAfter keepManifests net=0',
  ),
  ...runsOf(
    { model: 'local', expected: 'exhausted', size: 'quick' },
    '',
    'outages=2 failures=2',
    'commits=2',
    'losses=1 failures=0',
  ),
  ...runsOf(
    { model: 'bucket', expected: 'violation', size: 'short' },
    'noListAfter keepTwo publishes=2 net=0',
  ),
  ...runsOf(
    { model: 'bucket', expected: 'exhausted', size: 'short' },
    '',
    'net=0',
    'closes=1',
    'readers=1 commits=0',
    'readers=1 net=0',
    'noListAfter keepManifests',
    'noListAfterClaim safetyOnly',
    'sweepLooksAgain net=0',
    'gapCheck',
    'gapCheck noOpenCheck writers=3 net=0 commits=0 tables=0',
  ),
  ...runsOf(
    { model: 'local', expected: 'exhausted', size: 'short' },
    'writers=3 flushes=0',
    'losses=1 commits=2',
    'writers=3',
    'commits=3 flushes=3 outages=2',
  ),
  ...runsOf(
    { model: 'bucket', expected: 'exhausted', size: 'long' },
    'sweepLooksAgain',
    'net=2',
    'log=0 tables=0',
    'readers=1 commits=0 tables=2',
    'readers=2 commits=0 net=0',
    'writers=3 commits=0 net=0',
    'writers=3 commits=0',
    'commits=2',
  ),
  ...runsOf(
    { model: 'local', expected: 'exhausted', size: 'long' },
    'writers=3 commits=2 flushes=1',
  ),
];
