/** Keeps the result for the last pattern: a pattern is mostly the same for all rows. */
export function lastResultOf<Result>(
  compute: (pattern: string, option: string) => Result,
): (pattern: string, option?: string) => Result {
  let last:
    | { readonly pattern: string; readonly option: string; readonly result: Result }
    | undefined;
  return (pattern, option = '') => {
    if (last?.pattern !== pattern || last.option !== option) {
      last = { pattern, option, result: compute(pattern, option) };
    }
    return last.result;
  };
}
