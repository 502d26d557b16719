/** Writes the generated part of docs/errors.md: `bun run tests/docs/write-errors.ts`. */

import { errorsPath, renderErrors } from './errors-page.ts';

await Bun.write(errorsPath, renderErrors(await Bun.file(errorsPath).text()));
