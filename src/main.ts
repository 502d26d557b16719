/** Passes the arguments of the process to the command line, and handles errors of its output streams. */

import { exitCodes, main, systemReason } from '#cli';

// A server continues if its output is closed: it must not exit without draining its requests.
const isServer = ['serve', 'dev', 'operator'].includes(process.argv[2] ?? '');
if (isServer) process.stderr.on('error', () => {});

// A reader such as `head` that closes the pipe early is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (isServer) return;
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`error: the output cannot be written: ${systemReason(error)}\n`);
  process.exit(1);
});

const exitCode = await main(process.argv.slice(2));
// After Ctrl-C the process exits without waiting for pending work, such as a request to a server.
if (exitCode === exitCodes.interrupted) process.exit(exitCode);
process.exitCode = exitCode;
