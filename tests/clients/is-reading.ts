import type { Tree } from './interpret.ts';

/** Whether a case leaves the database as it was. */
export function isReading(build: Tree): boolean {
  return !/"(insert|update|delete|upsert)/.test(JSON.stringify(build));
}
