/**
 * The command line: commands, flags, output and exit codes (docs/cli.md).
 *
 * Data goes to stdout, progress and errors go to stderr. Exit code 0 means done, 1 failed and 2 usage error (`frame/exit-codes.ts` has all codes). `main.ts`
 * builds the command tree, and each command has its own file.
 */

export { exitCodes } from './frame/exit-codes.ts';
export { systemReason } from './frame/system-reason.ts';
export { main } from './main.ts';
export { manPages } from './man-pages.ts';
export { cliReference } from './reference.ts';
