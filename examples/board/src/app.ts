/** Requests to answers. The database is an argument, so that a test can bring its own. */

import { join } from 'node:path';
import { t } from './db/db.gen.ts';
import type { Client } from './db/svc-runtime.gen.ts';
import { ConstraintError, CursorError, EnsureError } from './db/svc-runtime.gen.ts';
import type { Html } from './html.ts';
import {
  type Account,
  activityList,
  activityPage,
  boardColumns,
  boardPage,
  boardsPage,
  boardsTitle,
  cardPage,
  layout,
  messagePage,
  signInPage,
} from './pages.ts';
import * as queries from './queries.ts';

const activitySize = 10;
/** How often a board that somebody looks at is asked for; while nothing has changed the answer is a 304. */
const liveMs = 500;

interface Context {
  readonly db: Client;
  readonly request: Request;
  readonly url: URL;
  readonly account: Account;
  readonly id: number;
}

type Handler = (context: Context) => Promise<Response>;

/** By method and path; `:id` is a number. */
const routes: Readonly<Record<string, Handler>> = {
  'GET /': async ({ db, account }) =>
    page(boardsTitle, account, boardsPage(await db.run(queries.boards))),
  'POST /boards': async ({ db, request }) => {
    const { name } = await fields(request, { name: 80 });
    const { id } = await db.run(queries.addBoard(name));
    return seeOther(`/boards/${id}`);
  },
  'GET /boards/:id': showBoard,
  'GET /boards/:id/live': async (context) =>
    (await isThere(context)) ? live(context) : notFound(context.account),
  'GET /boards/:id/activity': async ({ db, id, account, url }) => {
    const after = url.searchParams.get('after');
    const [board, { rows, next }] = await Promise.all([
      db.run(t.boards.get({ id })),
      db.page(queries.activity(id), { size: activitySize, after }),
    ]);
    if (board === null) return notFound(account);
    return page(`Activity of ${board.name}`, account, activityPage(board, rows, next));
  },
  'POST /boards/:id/cards': async ({ db, request, id, account }) => {
    const { title } = await fields(request, { title: 200 });
    await db.run(queries.addCard(id, account.id, title));
    return seeOther(`/boards/${id}`);
  },
  'GET /cards/:id': async ({ db, id, account }) => {
    const { card, accounts } = await db.run({ card: queries.card(id), accounts: queries.accounts });
    return card === null ? notFound(account) : page(card.title, account, cardPage(card, accounts));
  },
  'POST /cards/:id/move': async ({ db, request, id, account }) => {
    const { from, to } = await fields(request, { from: 10, to: 10 });
    if (from === to) throw new Refused('The card is there already.');
    const moved = await db.run(
      queries.moveCard(id, account.id, stateOf(from), stateOf(to), Date.now()),
    );
    return seeOther(`/boards/${moved.board_id}`);
  },
  'POST /cards/:id/assign': async ({ db, request, id, account }) => {
    const chosen = textOf(await formOf(request), 'account');
    const assignee = chosen === '' ? null : idOf(chosen);
    await db.run(queries.assignCard(id, account.id, assignee));
    return seeOther(`/cards/${id}`);
  },
  'POST /cards/:id/comments': async ({ db, request, id, account }) => {
    const { body } = await fields(request, { body: 4000 });
    await db.run(queries.addComment(id, account.id, body));
    return seeOther(`/cards/${id}`);
  },
  'POST /sign-out': async () => signedIn('', '/'),
};

export function app(db: Client): (request: Request) => Promise<Response> {
  return async (request) => {
    const url = new URL(request.url);
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    if (method === 'GET' && files[url.pathname] !== undefined) return file(url.pathname);
    // A form of another site is no form of ours; a page that hides where it comes from says `null`.
    const origin = request.headers.get('origin');
    if (method === 'POST' && origin !== null && URL.parse(origin)?.host !== url.host) {
      return new Response('a form of another site', { status: 403 });
    }
    let account: Account | undefined;
    try {
      account = await accountOf(db, request);
      // Also of somebody who has signed in meanwhile, in another window.
      if (account === undefined || url.pathname === '/sign-in')
        return await signIn(db, request, url);
      const [, digits] = /^\/\w+\/(\d{1,15})(?=\/|$)/.exec(url.pathname) ?? [];
      const path = digits === undefined ? url.pathname : url.pathname.replace(digits, ':id');
      const handler = routes[`${method} ${path}`];
      // Nobody but this line says `:id`.
      if (handler === undefined || url.pathname.includes(':')) return notFound(account);
      return await handler({ db, request, url, account, id: Number(digits) });
    } catch (error) {
      return failed(error, account, url.pathname.replace(/\/(?:move|assign|comments)$/, ''));
    }
  };
}

async function showBoard({ db, id, account }: Context): Promise<Response> {
  const [board, { rows, next }] = await Promise.all([
    db.run(queries.board(id)),
    db.page(queries.activity(id), { size: activitySize }),
  ]);
  if (board === null) return notFound(account);
  return page(board.name, account, boardPage(board, activityList(id, rows, next)));
}

async function isThere({ db, id }: Context): Promise<boolean> {
  return (await db.run(t.boards.get({ id }))) !== null;
}

/** Sends the columns of the board whenever they are others and the browser takes them, until it goes. */
function live({ db, id, request }: Context): Response {
  const { signal } = request;
  const text = new TextEncoder();
  const changes = db.watch(queries.board(id), { everyMs: liveMs, signal })[Symbol.asyncIterator]();
  const body = new ReadableStream({
    async pull(stream) {
      try {
        const { value: board } = await changes.next();
        if (board) stream.enqueue(text.encode(eventOf(boardColumns(board).text)));
        // The board is gone.
        else stream.close();
      } catch (error) {
        if (signal.aborted) return;
        console.error(error);
        // The browser asks again.
        stream.close();
      }
    },
    async cancel() {
      await changes.return?.();
    },
  });
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
  return new Response(body, { headers });
}

/** Each line of an event begins anew: a text with line breaks would end it, and say another one. */
function eventOf(text: string): string {
  return `data: ${text.split(/\r\n|\r|\n/).join('\ndata: ')}\n\n`;
}

async function signIn(db: Client, request: Request, url: URL): Promise<Response> {
  if (request.method === 'POST' && url.pathname === '/sign-in') {
    const { account } = await fields(request, { account: 15 });
    const known = await db.run(t.accounts.get({ id: idOf(account) }));
    if (known === null) throw new Refused('There is nobody of that name.');
    return signedIn(String(known.id), '/');
  }
  const status = url.pathname === '/' ? 200 : 401;
  return page('Task board', undefined, signInPage(await db.run(queries.accounts)), status);
}

/** An example: whoever says a name has it. An application would keep sessions, in a table of their own. */
async function accountOf(db: Client, request: Request): Promise<Account | undefined> {
  const id = /(?:^|; )account=(\d{1,15})(?:;|$)/.exec(request.headers.get('cookie') ?? '')?.[1];
  if (id === undefined) return undefined;
  return (await db.run(t.accounts.get({ id: Number(id) }))) ?? undefined;
}

function signedIn(id: string, location: string): Response {
  const cookie = `account=${id}; HttpOnly; SameSite=Strict; Path=/`;
  return new Response(null, { status: 303, headers: { location, 'set-cookie': cookie } });
}

class Refused extends Error {}

type Form = Awaited<ReturnType<Request['formData']>>;

async function formOf(request: Request): Promise<Form> {
  try {
    return await request.formData();
  } catch {
    throw new Refused('That was no form.');
  }
}

/** The text of a field without spaces around; the empty text where there is none, or a file. */
function textOf(form: Form, name: string): string {
  const value = form.get(name);
  // Browsers send the end of a line as two characters, and count one.
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n').trim() : '';
}

/** Texts of a form, each of which has to be there; with how many characters they may have. */
async function fields<Name extends string>(
  request: Request,
  lengths: Readonly<Record<Name, number>>,
): Promise<Record<Name, string>> {
  const form = await formOf(request);
  const found = Object.entries<number>(lengths).map(([name, most]) => {
    const value = textOf(form, name);
    if (value === '') throw new Refused(`${name} is missing`);
    if (value.length > most) throw new Refused(`${name} has more than ${most} characters`);
    return [name, value] as const;
  });
  return Object.fromEntries(found) as Record<Name, string>;
}

function idOf(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Refused(`"${text}" is nobody.`);
  return Number(text);
}

function stateOf(text: string): queries.State {
  const found = queries.states.find((state) => state === text);
  if (found === undefined) throw new Refused(`"${text}" is no state of a card`);
  return found;
}

/** What went wrong, in the words of the application: guards of programs have names. */
function failed(error: unknown, account: Account | undefined, back: string): Response {
  if (error instanceof Refused) return page('No', account, messagePage(error.message), 400);
  if (error instanceof CursorError)
    return page('No', account, messagePage('There is no such page.'), 400);
  if (error instanceof EnsureError && error.guard === 'moved') {
    return page('Too late', account, messagePage('Somebody else has moved that card.', back), 409);
  }
  if (error instanceof EnsureError) return notFound(account);
  // The only keys that a form can get wrong are those of other rows.
  if (error instanceof ConstraintError) return notFound(account);
  console.error(error);
  return page('Sorry', account, messagePage('That did not work. Try again.'), 500);
}

function notFound(account: Account | undefined): Response {
  return page('Not found', account, messagePage('There is nothing here.'), 404);
}

function page(title: string, account: Account | undefined, body: Html, status = 200): Response {
  const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };
  return new Response(layout(title, account, body).text, { status, headers });
}

function seeOther(location: string): Response {
  return new Response(null, { status: 303, headers: { location } });
}

const files: Readonly<Record<string, string>> = {
  '/style.css': 'text/css',
  '/live.js': 'text/javascript',
};

function file(path: string): Response {
  const headers = { 'content-type': `${files[path]}; charset=utf-8` };
  return new Response(Bun.file(join(import.meta.dir, path)), { headers });
}
