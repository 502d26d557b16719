/**
 * Runs before every test file: generated input is the same in every run; a longer search takes another seed by its own command. How long a
 * test takes says nothing on a machine that others use: the limit is there to end what hangs.
 */

import { setDefaultTimeout } from 'bun:test';
import fc from 'fast-check';

fc.configureGlobal({ seed: 20_261_121 });
setDefaultTimeout(60_000);
