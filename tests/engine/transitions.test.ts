/** What an engine does about its transitions when it closes. */

import { expect, spyOn, test } from 'bun:test';
import { openWorkshop } from '../transitions/support.ts';

test('an engine that closes waits for the step that is under way, and closes its store behind it', async () => {
  await using db = await openWorkshop();
  const { transitions, database } = db.engine as unknown as Inside;
  const step = Promise.withResolvers<void>();
  const stop = spyOn(transitions.worker, 'stop').mockReturnValue(step.promise);
  const closeStore = spyOn(database.store, 'close');
  const closed = db.engine.close();
  await new Promise((resolve) => setImmediate(resolve));
  expect(stop).toHaveBeenCalledTimes(1);
  expect(closeStore).not.toHaveBeenCalled();
  step.resolve();
  await closed;
  expect(closeStore).toHaveBeenCalledTimes(1);
});

interface Inside {
  readonly transitions: { readonly worker: { stop(): Promise<void> } };
  readonly database: { readonly store: { close(): Promise<void> } };
}
