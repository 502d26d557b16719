/** psql 15: `-c`, `-f`, variables, formats, errors with positions, meta-commands that ask the server. */

import { expect } from 'bun:test';
import { database, type SqlServer, user } from '../support/serve.ts';
import { endProgram, type Finished, isInstalled, runProgram } from './programs.ts';
import { type Scenario, testScenarios } from './scenario.ts';
import { endless } from './tables.ts';

/** Without `~/.psqlrc`, rows unaligned with their names unless the arguments say otherwise. */
function psql(server: SqlServer, args: readonly string[], input = ''): Promise<Finished> {
  const { host, port } = server;
  const address = ['-h', host, '-p', String(port), '-U', user, '-d', database];
  return runProgram(['psql', '-X', '-A', ...address, ...args], input);
}

/** Runs the script with `-f -`, and expects success. */
async function scriptOutput(
  server: SqlServer,
  script: string,
  args: readonly string[] = ['-q'],
): Promise<string> {
  return output(await psql(server, ['-v', 'ON_ERROR_STOP=1', ...args, '-f', '-'], script));
}

function output({ code, stdout, stderr }: Finished): string {
  if (code !== 0) throw new PsqlError(stderr);
  return stdout;
}

/** The text of an error contains its SQLSTATE if VERBOSITY is verbose. */
class PsqlError extends Error {
  readonly code = /ERROR: {2}([0-9A-Z]{5}):/.exec(this.message)?.[1];
}

const verbose = ['-v', 'VERBOSITY=verbose', '-q'];

const scenarios: readonly Scenario[] = [
  {
    name: 'runs commands of -c one by one',
    tables: ['author'],
    run: async (server) => {
      const args = [
        '-c',
        "insert into author (name) values ('Dan')",
        '-c',
        'select id, name from author where id > 2 order by id',
      ];
      expect(output(await psql(server, args))).toBe(
        'INSERT 0 1\nid|name\n3|Cyd\n4|Dan\n(2 rows)\n',
      );
    },
  },
  {
    name: 'runs several statements of one -c as one transaction',
    tables: ['account'],
    run: async (server) => {
      const { code } = await psql(server, ['-c', 'delete from account; select 1/0']);
      expect(code).toBe(1);
      expect(await scriptOutput(server, 'select count(*) from account;', ['-qt'])).toBe('3\n');
    },
  },
  {
    name: 'prints an aligned table',
    tables: ['author'],
    run: async (server) => {
      expect(
        await scriptOutput(server, 'select * from author order by id;', ['-P', 'format=aligned']),
      ).toBe(
        [
          ' id | name | country ',
          '----+------+---------',
          '  1 | Ada  | UK',
          '  2 | Bea  | FR',
          '  3 | Cyd  | ',
          '(3 rows)',
          '',
          '',
        ].join('\n'),
      );
    },
  },
  {
    name: 'prints values of every type',
    tables: ['sample'],
    run: async (server) => {
      expect(
        await scriptOutput(server, 'select * from sample order by id;', ['-qt', '-P', 'null=∅']),
      ).toBe(
        '1|t|-32768|2147483647|9223372036854775807|0.1|Grüße|ten chars.|\\x00ff|0190aabb-ccdd-7eef-8123-456789abcdef|' +
          '2024-02-29|2024-02-29 12:34:56.789|2024-02-29 10:34:56.789+00|{"a": [1, null]}\n' +
          `2|${Array(13).fill('∅').join('|')}\n`,
      );
    },
  },
  {
    name: 'prints as CSV and expanded',
    tables: ['author'],
    run: async (server) => {
      const script =
        'update author set name = \'A "B", C\' where id = 1; select id, name from author where id = 1;';
      expect(await scriptOutput(server, script, ['-q', '--csv'])).toBe('id,name\n1,"A ""B"", C"\n');
      expect(await scriptOutput(server, script, ['-q', '-x'])).toBe('id|1\nname|A "B", C\n');
    },
  },
  {
    name: 'puts variables into statements',
    tables: ['book'],
    run: async (server) => {
      const script =
        '\\set title Maps\n\\set n 2\nselect id from book where title = :\'title\' and author_id = :n; select :"col" from book where id = 1;';
      expect(await scriptOutput(server, script, ['-qt', '-v', 'col=pages'])).toBe('3\n320\n');
    },
  },
  {
    name: 'sets variables from a result by \\gset',
    tables: ['account'],
    run: async (server) => {
      const script =
        'select sum(balance)::int8 as total, max(id) as last from account \\gset\n\\echo :total :last\n';
      expect(await scriptOutput(server, script)).toBe('150 3\n');
    },
  },
  {
    name: 'executes the results of a query by \\gexec',
    tables: ['account'],
    run: async (server) => {
      const script =
        "select 'update account set balance = ' || id || ' where id = ' || id from account order by id \\gexec\nselect balance from account order by id;";
      expect(await scriptOutput(server, script, ['-qt'])).toBe('1\n2\n3\n');
    },
  },
  {
    name: 'branches by \\if',
    tables: ['account'],
    run: async (server) => {
      const script =
        'select exists (select 1 from account where id = 9) as known \\gset\n\\if :known\n\\echo yes\n\\else\n\\echo no\n\\endif\n';
      expect(await scriptOutput(server, script)).toBe('no\n');
    },
  },
  {
    name: 'commits and rolls back blocks of a script',
    tables: ['account'],
    run: async (server) => {
      const script = [
        'begin;',
        'update account set balance = 0 where id = 1;',
        'savepoint s;',
        'delete from account;',
        'rollback to s;',
        'commit;',
        'begin; delete from account; rollback;',
        'select id, balance from account order by id;',
      ].join('\n');
      expect(await scriptOutput(server, script, ['-t'])).toBe(
        'BEGIN\nUPDATE 1\nSAVEPOINT\nDELETE 3\nROLLBACK\nCOMMIT\nBEGIN\nDELETE 3\nROLLBACK\n1|0\n2|50\n3|0\n',
      );
    },
  },
  {
    name: 'runs a script as one transaction by -1',
    tables: ['account'],
    run: async (server) => {
      const script = 'delete from account; select nothing;';
      expect(
        (await psql(server, ['-q', '-1', '-v', 'ON_ERROR_STOP=1', '-f', '-'], script)).code,
      ).toBe(3);
      expect(await scriptOutput(server, 'select count(*) from account;', ['-qt'])).toBe('3\n');
    },
  },
  {
    name: 'goes on after an error inside a block by ON_ERROR_ROLLBACK',
    tables: ['account'],
    run: async (server) => {
      const script = [
        '\\set ON_ERROR_ROLLBACK on',
        'begin;',
        'update account set balance = 1 where id = 1;',
        'select nothing;',
        'commit;',
        'select balance from account where id = 1;',
      ].join('\n');
      const { stdout, stderr } = await psql(server, ['-qt', '-f', '-'], script);
      expect(stdout).toBe('1\n');
      expect(stderr).toContain('column "nothing" does not exist');
    },
  },
  {
    name: 'marks the position of an error',
    run: async (server) => {
      const { code, stderr } = await psql(server, ['-c', "select 'é', nothing from nowhere"]);
      expect(code).toBe(1);
      expect(stderr).toBe(
        'ERROR:  relation "nowhere" does not exist\nLINE 1: select \'é\', nothing from nowhere\n' +
          `${' '.repeat(33)}^\n`,
      );
    },
  },
  {
    name: 'shows the SQLSTATE, and the constraint of an error',
    tables: ['author'],
    run: async (server) => {
      const { stderr } = await psql(server, [
        ...verbose,
        '-c',
        "insert into author (name) values ('Ada')",
      ]);
      expect(stderr).toContain(
        'ERROR:  23505: duplicate key value violates unique constraint "author_name_key"',
      );
      expect(stderr).toContain('CONSTRAINT NAME:  author_name_key');
    },
  },
  {
    name: 'names the columns of a result by \\gdesc',
    tables: ['sample'],
    later: 'step C, catalogs',
    run: async (server) => {
      const script = 'select id, b, i8, f8, t, v, d, tz from sample \\gdesc\n';
      expect(await scriptOutput(server, script, ['-t', ...verbose])).toBe(
        'id|integer\nb|boolean\ni8|bigint\nf8|double precision\nt|text\nv|character varying(10)\nd|date\ntz|timestamp with time zone\n',
      );
    },
  },
  {
    name: 'reads a result in portions with FETCH_COUNT',
    tables: ['digit'],
    run: async (server) => {
      const script = '\\set FETCH_COUNT 150\nselect n from digit order by n;';
      const lines = (await scriptOutput(server, script, ['-qt'])).trimEnd().split('\n');
      expect(lines).toEqual(Array.from({ length: 400 }, (_, n) => String(n)));
    },
  },
  {
    name: 'prepares and executes statements of SQL',
    tables: ['book'],
    run: async (server) => {
      const script =
        'prepare find (int) as select title from book where id = $1; execute find(1); execute find(3); deallocate find;';
      expect(await scriptOutput(server, script, ['-qt'])).toBe('Engines\nMaps\n');
    },
  },
  {
    name: 'sets and shows settings',
    run: async (server) => {
      const script =
        "set timezone to 'America/New_York'; show timezone; select '2024-07-01 12:00+00'::timestamptz; begin; set local timezone to 'UTC'; show timezone; commit; show timezone; reset timezone;";
      expect(await scriptOutput(server, script, ['-qt'])).toBe(
        'America/New_York\n2024-07-01 08:00:00-04\nUTC\nAmerica/New_York\n',
      );
    },
  },
  {
    name: 'shows the connection by \\conninfo and the version',
    run: async (server) => {
      expect(await scriptOutput(server, '\\conninfo\n\\echo :SERVER_VERSION_NUM\n')).toMatch(
        /^You are connected to database "postgres" as user "postgres" on host "127\.0\.0\.1" at port "\d+"\.\n1500\d\d\n$/,
      );
      const { stderr } = await psql(server, ['-c', 'select 1']);
      expect(stderr).toBe('');
    },
  },
  {
    name: 'cancels a query on SIGINT',
    tables: ['digit'],
    run: async (server) => {
      const { host, port } = server;
      const address = ['-h', host, '-p', String(port), '-U', user, '-d', database];
      const script = `\\echo running\n${endless};`;
      const { stderr } = await endProgram(['psql', '-X', ...address], script, 'running', 'SIGINT');
      expect(stderr).toContain('canceling statement due to user request');
    },
  },
  {
    name: 'explains a query',
    tables: ['book'],
    run: async (server) => {
      const plan = await scriptOutput(server, 'explain select title from book where id = 1;', [
        '-qt',
      ]);
      expect(plan).toContain('book');
    },
  },
  {
    name: 'creates and changes tables',
    run: async (server) => {
      const script = [
        'create table if not exists passing (id int generated by default as identity primary key, at timestamptz default now(), n int default 7);',
        'create index on passing (n);',
        'insert into passing default values;',
        'alter table passing add column note text;',
        'alter table passing rename column n to number;',
        'select id, number, note, at is not null from passing;',
        'drop table passing;',
      ].join('\n');
      expect(await scriptOutput(server, script, ['-qt'])).toBe('1|7||t\n');
    },
  },
  {
    name: 'lists tables by \\dt',
    tables: ['author', 'account'],
    later: 'step C, catalogs',
    run: async (server) => {
      expect(await scriptOutput(server, '\\dt\n', ['-t', ...verbose])).toBe(
        'public|account|table|postgres\npublic|author|table|postgres\n',
      );
    },
  },
  {
    name: 'describes a table by \\d',
    tables: ['book'],
    later: 'step C, catalogs',
    run: async (server) => {
      const text = await scriptOutput(server, '\\d book\n', verbose);
      expect(text).toContain('id|integer||not null|generated by default as identity\n');
      expect(text).toContain('"book_pkey" PRIMARY KEY, btree (id)');
      expect(text).toContain('"book_author_id_fkey" FOREIGN KEY (author_id) REFERENCES author(id)');
    },
  },
  {
    name: 'copies rows in and out by \\copy',
    tables: ['account'],
    later: 'step D, COPY',
    run: async (server) => {
      const script =
        '\\copy account from stdin with (format csv)\n4,Dan,1\n\\.\n\\copy (select id, owner from account where id > 2 order by id) to stdout\n';
      expect(await scriptOutput(server, script, verbose)).toBe('3\tCyd\n4\tDan\n');
    },
  },
];

testScenarios('psql', scenarios, isInstalled('psql', 'postgresql-client-15'));
