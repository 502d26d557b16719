/**
 * `flock(2)` through the C library: an exclusive lock that the operating system releases when the
 * process ends for any reason.
 */

import { dlopen, FFIType, type Pointer, read } from 'bun:ffi';

/**
 * `busy`: another process has the lock. `unavailable`: the operating system or the file system does
 * not support it.
 */
type FlockOutcome =
  | { readonly kind: 'locked' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'unavailable'; readonly reason: string };

const exclusiveWithoutWaiting = 6;

interface CLibrary {
  flock(fd: number, operation: number): number;
  /** Returns the address of the error code of the last call. */
  errno(): Pointer | null;
}

/** Locks the open file `fd` until it is closed, or until this process ends. */
export function flockExclusive(fd: number): FlockOutcome {
  const library = loadLibrary();
  if (typeof library === 'string') return { kind: 'unavailable', reason: library };
  if (library.flock(fd, exclusiveWithoutWaiting) === 0) return { kind: 'locked' };
  const location = library.errno();
  const errno = location === null ? 0 : read.i32(location);
  const reason = unsupported[process.platform]?.[errno];
  return reason === undefined ? { kind: 'busy' } : { kind: 'unavailable', reason };
}

// Every other code counts as busy, which is the safe assumption.
const unsupported: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  linux: { 22: 'EINVAL', 37: 'ENOLCK', 38: 'ENOSYS', 95: 'EOPNOTSUPP' },
  darwin: { 22: 'EINVAL', 45: 'ENOTSUP', 77: 'ENOLCK', 78: 'ENOSYS', 102: 'EOPNOTSUPP' },
};

function loadLibrary(): CLibrary | string {
  const failures: string[] = [];
  for (const [path, errnoName] of candidates()) {
    try {
      const { symbols } = dlopen(path, {
        flock: { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 },
        [errnoName]: { args: [], returns: FFIType.ptr },
      });
      const errno = symbols[errnoName] as unknown as () => Pointer | null;
      return { flock: symbols.flock as CLibrary['flock'], errno };
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  return failures.length === 0 ? `no flock on ${process.platform}` : failures.join('; ');
}

function candidates(): readonly (readonly [path: string, errnoName: string])[] {
  const musl = { x64: 'x86_64', arm64: 'aarch64' }[process.arch as string] ?? process.arch;
  switch (process.platform) {
    case 'linux':
      return [
        ['libc.so.6', '__errno_location'],
        [`libc.musl-${musl}.so.1`, '__errno_location'],
        [`/lib/ld-musl-${musl}.so.1`, '__errno_location'],
      ];
    case 'darwin':
      return [['libSystem.B.dylib', '__error']];
    default:
      return [];
  }
}
