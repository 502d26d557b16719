/** A memory bomb is sent alone, then 32 times at once; each must end or get its problem. */

import type { Goals, LiveAttack, Stage } from '../../attack.ts';
import { together } from '../strikes.ts';

export interface Bomb {
  readonly name: string;
  readonly does: string;
  readonly body: (stage: Stage, i: number) => string;
  readonly prepare?: (stage: Stage) => Promise<void>;
  readonly goals?: Goals;
}

/** Long enough for what has to be found out, and bounded. */
const timeoutMs = 15_000;
const crowd = 32;

export function bombs({ name, does, body, prepare, goals }: Bomb): readonly LiveAttack[] {
  const attack = (clients: number, suffix: string): LiveAttack => ({
    kind: 'live',
    part: 'memory',
    name: `${name}${suffix}`,
    does,
    flags: ['--statement-timeout-ms', `${timeoutMs}`],
    ...(prepare && { prepare }),
    ...(goals && { goals }),
    strike: (stage) => together(clients, (i) => body(stage, i))(stage),
  });
  return [attack(1, ''), attack(crowd, `-x${crowd}`)];
}
