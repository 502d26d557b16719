/** Errors of asynchronous members, which know where the members were called. */

import { SvcError, TransportError } from './errors.ts';

type Member = (...parts: never[]) => Promise<unknown>;

/** The same members, whose errors carry the stack of the call as `callSite`. */
export function withCallSites<M extends Readonly<Record<string, Member>>>(members: M): M {
  const told: Record<string, Member> = {};
  for (const name of Object.keys(members)) {
    told[name] = async (...parts) => {
      const { stack = '' } = new Error('called');
      try {
        return await members[name]?.(...parts);
      } catch (error) {
        if (error instanceof SvcError || error instanceof TransportError) {
          Object.assign(error, { callSite: stack.split('\n').slice(2).join('\n') });
        }
        throw error;
      }
    };
  }
  return told as M;
}
