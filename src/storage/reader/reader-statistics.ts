/** Collects the statistics of a read-only store: caches and runs. All counters of writes are 0. */

import type { StoreStatistics } from '../contract/statistics.ts';
import { requestsOfAll } from '../object/component-requests.ts';
import type { TableFiles } from '../version/table-files.ts';
import { statisticsOfTables } from '../version/table-statistics.ts';
import type { Follower } from './follower.ts';
import type { ReaderPlace } from './reader-place.ts';

export function readerStatistics(
  follower: Follower,
  files: TableFiles,
  { requests, objectCache }: Pick<ReaderPlace, 'requests' | 'objectCache'>,
): StoreStatistics {
  const counted = requests?.();
  return {
    ...statisticsOfTables(files, follower.current.runs, follower.views),
    objects: requestsOfAll(counted),
    requests: counted,
    objectCache: objectCache?.statistics(),
  };
}
