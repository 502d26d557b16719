/** Keeps the rows whose value equals a constant, or does not, for types whose equality is `===`. */

import type { Datum } from '#value';
import type { Evaluate, Select } from './kernel.ts';

export function selectSame(isEqual: boolean, evaluate: Evaluate, constant: () => Datum): Select {
  return (columns, selection, count, out) => {
    const values = evaluate(columns, selection, count);
    const wanted = constant();
    if (wanted === null) return 0;
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      const value = values[row] as Datum;
      out[kept] = row;
      kept = (kept + +(value !== null && (value === wanted) === isEqual)) | 0;
    }
    return kept;
  };
}
