/** Creates the scan operator for an access path. */

import { unreachable } from '#base';
import type { ScanPlan } from '#planner';
import type { OperatorProfile } from '../../operator-profile.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { EntryScan } from './entry-scan.ts';
import { indexScan } from './index-scan.ts';
import { PointScan } from './point-scan.ts';
import { RangeScan } from './range-scan.ts';

export function scan(plan: ScanPlan, run: QueryRun, site: OperatorProfile): Operator {
  const { access } = plan;
  switch (access.kind) {
    case 'table':
      return new RangeScan(plan, run, site);
    case 'primary':
      return plan.point === undefined
        ? new RangeScan(plan, run, site)
        : new PointScan(plan, access.interval, run, site);
    case 'index':
      if (plan.point !== undefined) return new PointScan(plan, access.interval, run, site);
      return plan.isCovered
        ? new EntryScan(plan, access, run, site)
        : indexScan(plan, access, run, site);
    default:
      return unreachable(access);
  }
}
