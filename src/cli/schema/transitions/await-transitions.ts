/** Waits until transitions have ended, and shows their progress. */

import { pause } from '#base';
import { isTerminal, type SchemaApi, type WireTransition } from '#client';
import { CommandFailure } from '../../frame/command-failure.ts';
import type { Shell } from '../../frame/shell.ts';
import { Progress } from './progress.ts';

interface WaitLimits {
  readonly pollMs: number;
  /** Default: no time limit. */
  readonly timeoutMs?: number;
  /** Aborts the wait. Nothing is shown after that. */
  readonly signal?: AbortSignal;
  /** Sends a request, possibly repeatedly. Default: send it once. */
  readonly ask?: <Answer>(question: () => Promise<Answer>) => Promise<Answer>;
}

/** Returns the transitions in the order of `ids`, all `ready`. Throws `transition_terminal_failure` or `transition_wait_timeout`. */
export async function awaitTransitions(
  shell: Shell,
  api: SchemaApi,
  ids: readonly string[],
  { pollMs, timeoutMs, signal, ask = (question) => question() }: WaitLimits,
): Promise<WireTransition[]> {
  const { clock, scheduler } = shell.world;
  const endMs = clock.monotonicMs() + (timeoutMs ?? Number.POSITIVE_INFINITY);
  const progress = new Progress(shell, (table) => api.count(table));
  try {
    for (;;) {
      const transitions: WireTransition[] = [];
      for (const id of ids) transitions.push(await ask(() => api.transition(id)));
      signal?.throwIfAborted();
      progress.show(transitions);
      for (const transition of transitions) refuseLost(transition);
      if (transitions.every(isTerminal)) return transitions;
      if (clock.monotonicMs() + pollMs > endMs) throw tooLong(transitions);
      await pause(scheduler, pollMs);
    }
  } finally {
    // If the wait was aborted, the message of the interruption has already replaced the line.
    if (signal?.aborted !== true) progress.end();
  }
}

function refuseLost(transition: WireTransition): void {
  const { transition_id: id, state, last_error: why } = transition;
  if (state !== 'failed' && state !== 'cancelled') return;
  throw new CommandFailure({
    code: 'transition_terminal_failure',
    message: `${id} ${state === 'failed' ? `failed: ${why ?? 'no reason was recorded'}` : 'was cancelled'}`,
    hint: 'its partial work is removed; when the cause is solved, the same migration starts it again',
    details: { transition },
  });
}

function tooLong(transitions: readonly WireTransition[]): CommandFailure {
  const running = transitions.filter((transition) => !isTerminal(transition));
  const names = running.map(({ transition_id: id, state }) => `${id} is ${state}`).join(', ');
  return new CommandFailure({
    code: 'transition_wait_timeout',
    message: `timed out: ${names}`,
    hint: 'the work continues on the server; wait again with a longer --timeout-seconds',
    details: { transitions: running },
  });
}
