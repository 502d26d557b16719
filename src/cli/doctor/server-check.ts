/** A check that asks a running server. A server that cannot be asked is a warning, because the other checks do not depend on it. */

import { ServerProblem, Unreachable } from '#client';
import { RefusedOption } from '#server';
import type { Check } from './report-checks.ts';

type Finding = Omit<Check, 'name'>;

export function finding(status: Check['status'], message: string, details: object = {}): Finding {
  return { status, message, details };
}

/** Runs `ask`. Errors of the connection, of the server and of an option become a warning. Rejects for every other error. */
export async function serverCheck(
  name: string,
  ask: () => Finding | Promise<Finding>,
): Promise<Check> {
  try {
    return { name, ...(await ask()) };
  } catch (error) {
    const isExpected = [Unreachable, ServerProblem, RefusedOption].some(
      (it) => error instanceof it,
    );
    if (!isExpected) throw error;
    return { name, ...finding('warning', `not checked: ${(error as Error).message}`) };
  }
}
