/** Which errors a store may answer with: typed ones, that name what they concern, and only after something has gone wrong. */

import { DatabaseError } from '#failure';
import { StorageError, type StorageFault } from '#storage';
import type { Life } from './life.ts';
import { PowerLoss, Wrong } from './wrong.ts';

export interface Circumstances {
  readonly life: Life;
  /** The disk is never full. */
  readonly hasRoom: boolean;
}

/** Throws `Wrong` unless `error` is one that the store may answer with. */
export function excuse(error: unknown, circumstances: Circumstances): void {
  let typed = false;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Wrong) throw cause;
    if (cause instanceof PowerLoss) return;
    if (cause instanceof StorageError) {
      refuseUnless(isExcused(cause.fault, circumstances), error);
      return;
    }
    if (cause instanceof DatabaseError) typed ||= isRefusal(cause);
  }
  refuseUnless(typed, error);
}

function refuseUnless(isRight: boolean, error: unknown): void {
  if (!isRight) throw new Wrong(`an error without excuse: ${String(error)}`, { cause: error });
}

/** Too much at a time, or closed in good order: no trouble below. */
function isRefusal({ failure }: DatabaseError): boolean {
  return failure.reason === 'overloaded' || failure.reason === 'storage_unavailable';
}

function isExcused(trouble: StorageFault, circumstances: Circumstances): boolean {
  const { life, hasRoom } = circumstances;
  const { isRivalled } = life;
  // It has lost its power in the middle of something.
  if (life.isDead) return true;
  switch (trouble.kind) {
    case 'fenced':
      // Who cannot read back its own object takes it for another's.
      return isRivalled || life.misreads > 0;
    case 'full':
      return life.faults > 0 || !hasRoom;
    case 'corrupt':
      return life.faults > 0 && trouble.object !== '';
    case 'io':
    case 'format':
      return life.faults > 0 || isRivalled;
    case 'missing':
    case 'vanished':
      // Whoever came later may have deleted what it does not need.
      return life.isReplaced;
    case 'empty':
      return life.role === 'reader';
    case 'unavailable':
      return life.outages > 0;
    default:
      return false;
  }
}
