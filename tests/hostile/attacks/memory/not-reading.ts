/** Bomb 20: answers that nobody takes. */

import type { LiveAttack } from '../../attack.ts';
import { deaf } from '../load/connections.ts';

export const notReading: LiveAttack = {
  kind: 'live',
  part: 'memory',
  name: 'bomb-not-reading',
  does: '20: 200 clients that do not read answers of 50 MB; all closed within 160 s',
  strike: (stage) => deaf(stage, 200),
};
