/**
 * The command line: commands, flags, output, exit codes (docs/cli.md–§3).
 *
 * stdout is data, stderr is progress and errors. Exit codes: 0 done, 1 failed, 2 usage. `main.ts` of this room builds the commands;
 * each command file holds one of them.
 */

export { exitCodes } from './frame/exit-codes.ts';
export { systemReason } from './frame/system-reason.ts';
export { main } from './main.ts';
export { manPages } from './man-pages.ts';
export { cliReference } from './reference.ts';
