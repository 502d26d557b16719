/** The templates that there are, and the page of next steps that comes with each. */

import { api } from './api.ts';
import { notes } from './notes.ts';
import type { Template } from './template.ts';
import { web } from './web.ts';

export const templates: readonly Template[] = [web, api, notes];

/** `serve` is the command that starts a server where the project looks for it. */
export function readmeText({ about, seed }: Template, directory: string, serve: string): string {
  return `# ${directory}

A database for ${about}, run by svc.

- \`svc.schema.yaml\` is the schema. Edit it, and bring the database there: \`svc schema diff\`, \`svc schema migrate\`.
- \`svc.seed.json\` has rows to begin with, of ${Object.keys(seed).join(', ')}.
- \`svc.config.yaml\` says where the databases are.

## Begin

In this directory:

    svc dev

That runs the server, brings it to the schema, writes the rows, and does so again when a file changes; Ctrl-C ends it. The same by hand: \`${serve}\` in a second terminal, then \`svc schema migrate\` and \`svc seed\`.

\`svc seed --reset\` deletes all rows and writes those of the file again.

## Next

- \`svc docs clients\` shows how programs in TypeScript and Go call the database, \`svc docs agents\` all that is needed to write requests.
- \`svc docs schema\` has every member of the schema file, \`svc docs seeds\` what a seed may hold, \`svc docs projects\` how several people and databases go together.
- \`svc explain FILE\` shows how a program runs, \`svc doctor\` whether all is well.
`;
}
