/**
 * What a promise comes to, awaited.
 *
 * `expect(promise).rejects` of Bun 1.4 runs the event loop from within itself until the promise is settled. A promise that needs turns
 * of the outer loop then stands still, one run in three under load, and no timeout of a test fires.
 */

/** A function that returns what the promise came to, or throws what it was rejected with: `expect(await outcomeOf(p)).toThrow('no')`. */
export async function outcomeOf(promise: unknown): Promise<() => unknown> {
  try {
    const value = await promise;
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** What the promise is rejected with. Throws where the promise is fulfilled. */
export async function rejection(promise: unknown): Promise<unknown> {
  const outcome = await outcomeOf(promise);
  try {
    outcome();
  } catch (error) {
    return error;
  }
  throw new Error('the promise is fulfilled, and a rejection was wanted');
}
