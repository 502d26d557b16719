/** The entry point of the executable. For a server, it first limits the growth of the heap (`limitHeap`). That restarts the process, so no other module is loaded before. */

import { limitHeap } from '#base';

const [command, ...flags] = process.argv.slice(2);
// A size in a flag or variable is read with all other options in `src/cli/serve`, which reports invalid values.
const isSized =
  flags.some((flag) => flag.startsWith('--memory-mib')) ||
  (process.env['SVC_MEMORY_MIB'] ?? '') !== '';
if ((command === 'serve' || command === 'dev') && !isSized)
  limitHeap({ memoryBytes: undefined }, process.env);

// A separate entry point, because a static import would load all modules before `limitHeap` runs.
await import(new URL(Bun.isStandaloneExecutable ? './main.js' : './main.ts', import.meta.url).href);
