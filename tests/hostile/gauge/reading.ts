/** What the gauge read of one live attack. */

import type { Outcome } from '../attack.ts';
import type { Phase } from './phase.ts';

export interface Reading extends Outcome {
  readonly ms: number;
  /** Before the attack, on the same server: what the poller itself and this machine add. */
  readonly idle: Phase;
  readonly attack: Phase;
  readonly peakMib: number;
  readonly limitMib: number;
  /** Shares of one processor from half a second after the client left: of all threads, which is judged, and of the main thread. */
  readonly after: { readonly all: number; readonly main: number };
  readonly isAlive: boolean;
  /** From SIGTERM to the end; undefined: SIGKILL was needed. */
  readonly stopMs: number | undefined;
  readonly stopCode: number | undefined;
}
