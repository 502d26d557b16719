/** The templates that there are, and the page of next steps that comes with each. */

import { api } from './api.ts';
import { notes } from './notes.ts';
import type { Template } from './template.ts';
import { web } from './web.ts';

export const templates: readonly Template[] = [web, api, notes];

const shows: Readonly<Record<Template['name'], string>> = {
  web: 'a page of articles with their authors, likes and comments, and a form for one more comment',
  api: 'an organization with its projects and tasks as JSON, new tasks, and changes that overwrite nobody',
  notes: 'a page of notebooks with their notes and tags, and a form for one more note',
};

/** What to do with the server that `npm run dev` runs. */
const tries: Readonly<Record<Template['name'], string>> = {
  web: 'It is at http://127.0.0.1:3000; ada@example.org may comment.',
  api: `Then:

    curl http://127.0.0.1:3000/organizations/acme
    curl http://127.0.0.1:3000/organizations/acme/projects/Site/tasks -d '{"title": "Ship it"}'
`,
  notes: 'It is at http://127.0.0.1:3000.',
};

/** `serve` is the command that starts a server where the project looks for it. */
export function readmeText(
  { name, about, seed }: Template,
  directory: string,
  serve: string,
): string {
  return `# ${directory}

A database for ${about}, run by svc.

- \`svc.schema.yaml\` is the schema. Edit it, and bring the database there: \`svc schema diff\`, \`svc schema migrate\`.
- \`svc.seed.json\` has rows to begin with, of ${Object.keys(seed).join(', ')}.
- \`svc.config.yaml\` says where the databases are, and which clients are made of the schema.
- \`src/app.ts\` is an application: ${shows[name]}. \`src/server.ts\` serves it, and \`src/db\` is the client, which is generated.

## Begin

In this directory:

    svc dev

That runs the server, brings it to the schema, writes the rows, and does so again when a file changes; Ctrl-C ends it. The same by hand: \`${serve}\` in a second terminal, then \`svc schema migrate\` and \`svc seed\`.

In a second terminal, once that has generated the client:

    npm run dev

${tries[name]}
It starts anew when the application or the client changes; \`npm start\` does not. The application needs no package; Node runs it from version 22.18 on, Bun (\`bun src/server.ts\`) and Deno (\`deno run -A src/server.ts\`) as well. \`npm install && npm run check\` has its types checked.
Rename a column in \`svc.schema.yaml\`: \`svc dev\` asks, the database and the client follow, and the check names the lines of \`src/app.ts\` that no longer fit.

\`svc seed --reset\` deletes all rows and writes those of the file again.

## Next

- \`svc docs clients\` shows how programs in TypeScript and Go call the database, \`svc docs agents\` all that is needed to write requests.
- \`svc docs schema\` has every member of the schema file, \`svc docs seeds\` what a seed may hold, \`svc docs projects\` how several people and databases go together.
- \`svc explain FILE\` shows how a program runs, \`svc doctor\` whether all is well.
`;
}
