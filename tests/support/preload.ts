/** Runs before every test file: generated input is the same in every run; a longer search takes another seed by its own command. */

import fc from 'fast-check';

fc.configureGlobal({ seed: 20_261_121 });
