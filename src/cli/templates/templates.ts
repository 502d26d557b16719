/** The templates of `svc init`, and the README of next steps that each includes. */

import apiSchema from './files/api.schema.yaml.txt' with { type: 'text' };
import apiSeed from './files/api.seed.json.txt' with { type: 'text' };
import apiApp from './files/api-app.ts.txt' with { type: 'text' };
import notesSchema from './files/notes.schema.yaml.txt' with { type: 'text' };
import notesSeed from './files/notes.seed.json.txt' with { type: 'text' };
import notesApp from './files/notes-app.ts.txt' with { type: 'text' };
import webSchema from './files/web.schema.yaml.txt' with { type: 'text' };
import webSeed from './files/web.seed.json.txt' with { type: 'text' };
import webApp from './files/web-app.ts.txt' with { type: 'text' };

/** The texts of a project with more than a starter table. */
export interface Template {
  readonly name: 'web' | 'api' | 'notes';
  /** A short description for the list of templates. */
  readonly about: string;
  /** The member `tables:` with its content. */
  readonly schema: string;
  /** The rows, in the format of `svc seed`. */
  readonly seed: string;
  readonly app: string;
  /** Whether the application returns HTML pages. */
  readonly hasPages: boolean;
  /** The responses of the application, and how to try the server that `npm run dev` starts. */
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
      'an organization with its projects and tasks as JSON, new tasks, and changes that overwrite no concurrent change',
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

/** Returns the text of the README. `serve` is the command that starts a server at the address of the project. */
export function readmeText(
  { about, shows, tries, seed }: Template,
  directory: string,
  serve: string,
): string {
  return `# ${directory}

A database for ${about}, run by svc.

- \`svc.schema.yaml\` is the schema. Edit it, then migrate the database: \`svc schema diff\`, \`svc schema migrate\`.
- \`svc.seed.json\` contains seed data for ${Object.keys(JSON.parse(seed)).join(', ')}.
- \`svc.config.yaml\` contains the addresses of the databases and the configuration of the generated clients.
- \`src/app.ts\` is an application: ${shows}. \`src/server.ts\` serves it, and \`src/db\` is the generated client.

## Start

In this directory:

    svc dev

\`svc dev\` runs the server, migrates it to the schema, loads the seed data, and repeats this when a file changes. Press Ctrl-C to stop it. To do the same by hand, run \`${serve}\` in a second terminal, then \`svc schema migrate\` and \`svc seed\`.

When \`svc dev\` has generated the client, run the application in a second terminal:

    npm run dev

${tries}
\`npm run dev\` restarts the application when its code or the client changes; \`npm start\` does not. The application needs no package. It runs in Node from version 22.18, in Bun (\`bun src/server.ts\`) and in Deno (\`deno run -A src/server.ts\`). \`npm install && npm run check\` checks its types.
If you rename a column in \`svc.schema.yaml\`, \`svc dev\` asks for a confirmation and updates the database and the client. The check then reports the lines of \`src/app.ts\` that no longer match.

\`svc seed --reset\` deletes all rows and writes those of the file again.

## Next

- \`svc docs clients\` shows how programs in TypeScript, Go and Python call the database, and \`svc docs agents\` describes how to write requests.
- \`svc docs schema\` describes every member of the schema file, \`svc docs seeds\` the format of seed files, and \`svc docs projects\` the work with several developers and databases.
- \`svc explain FILE\` shows how a program runs, and \`svc doctor\` checks the project and its server.
`;
}
