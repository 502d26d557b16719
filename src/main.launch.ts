/** Where the executable begins: a server tells its runtime about memory first (`limitHeap`), which begins the process anew, so nothing else is loaded before that. */

import { limitHeap } from '#base';

const [command, ...flags] = process.argv.slice(2);
// A size by flag or variable is read with all other options (`src/cli/serve`): what is wrong with one is said there.
const isSized =
  flags.some((flag) => flag.startsWith('--memory-mib')) ||
  (process.env['SVC_MEMORY_MIB'] ?? '') !== '';
if ((command === 'serve' || command === 'dev') && !isSized)
  limitHeap({ memoryBytes: undefined }, process.env);

// An entry point of its own, beside this one: were it part of this module, everything would be loaded with it.
await import(new URL(Bun.isStandaloneExecutable ? './main.js' : './main.ts', import.meta.url).href);
