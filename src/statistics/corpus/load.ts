/** Loads the stored records of the corpus at startup. */

import type { Scheduler } from '#base';
import type { ReadView } from '#storage';
import { eachRecord } from '../archive/entries.ts';
import { executionRange, programRange, readExecution, readProgram } from './records.ts';
import { Retained } from './retained.ts';

interface Loaded {
  readonly retained: Retained;
  /** Keys of invalid records, which the caller deletes. */
  readonly invalid: Uint8Array[];
}

/** Loads all records, and yields to programs. */
export async function loadCorpus(view: ReadView, scheduler: Scheduler): Promise<Loaded> {
  const retained = new Retained();
  const invalid: Uint8Array[] = [];
  await eachRecord(view, programRange, scheduler, (key, value) => {
    const program = readProgram(key, value);
    if (program === undefined) invalid.push(key.slice());
    else retained.addProgram(program.hash, program.bytes);
  });
  await eachRecord(view, executionRange, scheduler, (key, value) => {
    const record = readExecution(key, value);
    if (record === undefined || !retained.has(record.hash)) invalid.push(key.slice());
    else retained.addExecution(record);
  });
  return { retained, invalid };
}
