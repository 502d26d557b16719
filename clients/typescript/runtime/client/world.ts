/** Time and chance as the client uses them; tests give their own. */

export interface World {
  /** Milliseconds of a steady clock. */
  now(): number;
  /** Unix time in milliseconds. */
  unixMs(): number;
  /** A number in [0, 1). */
  random(): number;
  /** Runs `task` once; the returned function calls it off. */
  after(delayMs: number, task: () => void): () => void;
}

/** A timer takes at most this many milliseconds (a signed 32-bit number). */
const delayMsMax = 0x7fff_ffff;

export const systemWorld: World = {
  now: () => performance.now(),
  unixMs: () => Date.now(),
  random: () => Math.random(),
  after: (delayMs, task) => {
    const timer = setTimeout(task, Math.min(delayMs, delayMsMax));
    return () => clearTimeout(timer);
  },
};
