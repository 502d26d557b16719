/** The templates of `svc init`, and the page of next steps that comes with each. */

import apiSchema from './files/api.schema.yaml.txt' with { type: 'text' };
import apiSeed from './files/api.seed.json.txt' with { type: 'text' };
import apiApp from './files/api-app.ts.txt' with { type: 'text' };
import notesSchema from './files/notes.schema.yaml.txt' with { type: 'text' };
import notesSeed from './files/notes.seed.json.txt' with { type: 'text' };
import notesApp from './files/notes-app.ts.txt' with { type: 'text' };
import webSchema from './files/web.schema.yaml.txt' with { type: 'text' };
import webSeed from './files/web.seed.json.txt' with { type: 'text' };
import webApp from './files/web-app.ts.txt' with { type: 'text' };

/** The texts of a project that is more than a starter table. */
export interface Template {
  readonly name: 'web' | 'api' | 'notes';
  /** In a few words, as a list of templates shows it. */
  readonly about: string;
  /** `tables:` and what is below. */
  readonly schema: string;
  /** The rows, as `svc seed` takes them. */
  readonly seed: string;
  readonly app: string;
  /** Whether the application answers pages of HTML. */
  readonly hasPages: boolean;
  /** The answers of the application, and what to do with the server that `npm run dev` runs. */
  readonly shows: string;
  readonly tries: string;
}

export const templates: readonly Template[] = [
  {
    name: 'web',
    about: 'a site with users, sessions, articles and comments',
    schema: webSchema,
    seed: webSeed,
    app: webApp,
    hasPages: true,
    shows:
      'a page of articles with their authors, likes and comments, and a form for one more comment',
    tries: 'It is at http://127.0.0.1:3000; ada@example.org may comment.',
  },
  {
    name: 'api',
    about: 'organizations with members, keys, projects and tasks',
    schema: apiSchema,
    seed: apiSeed,
    app: apiApp,
    hasPages: false,
    shows:
      'an organization with its projects and tasks as JSON, new tasks, and changes that overwrite nobody',
    tries: `Then:

    curl http://127.0.0.1:3000/organizations/acme
    curl http://127.0.0.1:3000/organizations/acme/projects/Site/tasks -d '{"title": "Ship it"}'
`,
  },
  {
    name: 'notes',
    about: 'notebooks with notes and tags',
    schema: notesSchema,
    seed: notesSeed,
    app: notesApp,
    hasPages: true,
    shows: 'a page of notebooks with their notes and tags, and a form for one more note',
    tries: 'It is at http://127.0.0.1:3000.',
  },
];

/** `serve` is the command that starts a server where the project looks for it. */
export function readmeText(
  { about, shows, tries, seed }: Template,
  directory: string,
  serve: string,
): string {
  return `# ${directory}

A database for ${about}, run by svc.

- \`svc.schema.yaml\` is the schema. Edit it, and bring the database there: \`svc schema diff\`, \`svc schema migrate\`.
- \`svc.seed.json\` has rows to begin with, of ${Object.keys(JSON.parse(seed)).join(', ')}.
- \`svc.config.yaml\` says where the databases are, and which clients are made of the schema.
- \`src/app.ts\` is an application: ${shows}. \`src/server.ts\` serves it, and \`src/db\` is the client, which is generated.

## Begin

In this directory:

    svc dev

That runs the server, brings it to the schema, writes the rows, and does so again when a file changes; Ctrl-C ends it. The same by hand: \`${serve}\` in a second terminal, then \`svc schema migrate\` and \`svc seed\`.

In a second terminal, once that has generated the client:

    npm run dev

${tries}
It starts anew when the application or the client changes; \`npm start\` does not. The application needs no package; Node runs it from version 22.18 on, Bun (\`bun src/server.ts\`) and Deno (\`deno run -A src/server.ts\`) as well. \`npm install && npm run check\` has its types checked.
Rename a column in \`svc.schema.yaml\`: \`svc dev\` asks, the database and the client follow, and the check names the lines of \`src/app.ts\` that no longer fit.

\`svc seed --reset\` deletes all rows and writes those of the file again.

## Next

- \`svc docs clients\` shows how programs in TypeScript, Go and Python call the database, \`svc docs agents\` all that is needed to write requests.
- \`svc docs schema\` has every member of the schema file, \`svc docs seeds\` what a seed may hold, \`svc docs projects\` how several people and databases go together.
- \`svc explain FILE\` shows how a program runs, \`svc doctor\` whether all is well.
`;
}
