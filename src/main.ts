/** argv to the command line; nothing else. */

import { exitCodes, main, systemReason } from '#cli';

// A server goes on when nobody reads its output any more: it must not end without a drain.
const isServer = ['serve', 'dev', 'operator'].includes(process.argv[2] ?? '');
if (isServer) process.stderr.on('error', () => {});

// A reader such as `head` that has seen enough is no trouble of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (isServer) return;
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`error: the output cannot be written: ${systemReason(error)}\n`);
  process.exit(1);
});

const exitCode = await main(process.argv.slice(2));
// What Ctrl-C left behind, such as a question to a server, is not waited for.
if (exitCode === exitCodes.interrupted) process.exit(exitCode);
process.exitCode = exitCode;
