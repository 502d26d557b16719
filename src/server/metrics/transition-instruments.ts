/** Instruments of online schema transitions. */

import type { Engine } from '#engine';
import { type Instrument, upDownCounter } from '#observe';

/** `read` returns `undefined` while no database is open. */
export function transitionInstruments(
  read: () => Engine['catalog'] | undefined,
): readonly Instrument[] {
  return [
    upDownCounter(
      'svc.schema.transitions',
      '{transitions}',
      'Number of transitions that wait, that are active, and that failed recently.',
      () => {
        const catalog = read();
        if (catalog === undefined) return undefined;
        const live = catalog.tables.flatMap(({ transitions }) => transitions ?? []);
        const waiting = live.filter(({ state }) => state === 'waiting').length;
        const failed = catalog.endedTransitions?.filter(({ state }) => state === 'failed') ?? [];
        return [
          [{ state: 'waiting' }, waiting],
          [{ state: 'active' }, live.length - waiting],
          [{ state: 'failed' }, failed.length],
        ];
      },
    ),
  ];
}
