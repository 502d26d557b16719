/** Results of the checks of a storage location. */

export interface CheckResult {
  readonly name: string;
  readonly status: 'pass' | 'warning' | 'fail';
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export type StoreCheck = () => Promise<Omit<CheckResult, 'name'>>;

export function passed(
  message: string,
  details: CheckResult['details'] = {},
): Omit<CheckResult, 'name'> {
  return { status: 'pass', message, details };
}

export function failed(
  message: string,
  details: CheckResult['details'] = {},
): Omit<CheckResult, 'name'> {
  return { status: 'fail', message, details };
}

/** Runs the check. An error that it throws becomes a failed finding. */
export async function findingOf(name: string, check: StoreCheck): Promise<CheckResult> {
  try {
    return { name, ...(await check()) };
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    const details = cause instanceof Error ? { cause: cause.message } : {};
    return { name, ...failed(error instanceof Error ? error.message : String(error), details) };
  }
}
