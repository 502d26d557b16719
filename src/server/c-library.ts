/** Reads facts about the process from the C library, for systems without `/proc`. */

import { dlopen, FFIType } from 'bun:ffi';

/** RLIMIT_NOFILE, which has another number on macOS. */
const openFiles = process.platform === 'darwin' ? 8 : 7;
/** SIG_IGN, the handler that ignores a signal. */
const ignoreHandler = 1n;
/** More words than `struct sigaction` needs on any system. */
const actionWords = 64;

/** Returns the soft limit of open files: infinity without a limit, `undefined` if the library cannot be loaded. */
export function openFileLimit(): number | undefined {
  const limits = new BigUint64Array(2);
  if (loadLibrary()?.getrlimit(openFiles, limits) !== 0) return undefined;
  const soft = limits[0] as bigint;
  return soft > BigInt(Number.MAX_SAFE_INTEGER) ? Number.POSITIVE_INFINITY : Number(soft);
}

/** Returns whether the process ignores the signal: `undefined` if the library cannot be loaded. */
export function ignoresSignal(number: number): boolean | undefined {
  const action = new BigUint64Array(actionWords);
  // The handler is the first member on Linux, with either C library, and on macOS.
  if (loadLibrary()?.sigaction(number, null, action) !== 0) return undefined;
  return action[0] === ignoreHandler;
}

function loadLibrary() {
  const { i32, ptr } = FFIType;
  const musl = `libc.musl-${process.arch === 'x64' ? 'x86_64' : 'aarch64'}.so.1`;
  for (const path of ['libc.so.6', musl, 'libSystem.B.dylib']) {
    try {
      return dlopen(path, {
        getrlimit: { args: [i32, ptr], returns: i32 },
        sigaction: { args: [i32, ptr, ptr], returns: i32 },
      }).symbols;
    } catch {
      // Try the next path.
    }
  }
  return undefined;
}
