/** What is said of a primary key that is taken. */

import type { Table } from '#catalog';
import { fail } from '#failure';

/** `inputRow`: see `Failure`. */
export function existing({ name: table }: Table, inputRow: number): Error {
  const detail = `table "${table}" has a row with this primary key already`;
  return fail('constraint_violation', detail, { execution: { table }, inputRow });
}
