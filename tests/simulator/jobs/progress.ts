/** How far a long run is, every so often, and when it is cut short. */

const everyMs = 10_000;
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

export interface Progress {
  /** To be called when something has been done. */
  step(): void;
}

/** `shown` says where it stands; `cutShort` prints what there is before the process ends. */
export function progress(shown: () => string, cutShort: () => void): Progress {
  let last = performance.now();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      console.log(`cut short by ${signal}: ${shown()}`);
      cutShort();
      process.exit(exitCodes[signal]);
    });
  }
  return {
    step() {
      if (performance.now() - last < everyMs) return;
      last = performance.now();
      console.log(shown());
    },
  };
}
