/** The HTML of the pages. They work without a script; the script of a board only replaces columns that have changed. */

import type { DeepReadonly } from './db/svc-runtime.gen.ts';
import { type Html, html } from './html.ts';
import type { activity, board, boards, card, State } from './queries.ts';
import { states } from './queries.ts';
import type { Result } from './result.ts';

/** A result of the query or of `watch`, whose results are frozen. */
type Board = DeepReadonly<NonNullable<Result<ReturnType<typeof board>>>>;
type Card = NonNullable<Result<ReturnType<typeof card>>>;
type Activity = Result<ReturnType<typeof activity>>;
export interface Account {
  readonly id: number;
  readonly name: string;
  readonly color: string;
}

const titles: Readonly<Record<State, string>> = { todo: 'To do', doing: 'Doing', done: 'Done' };

export const boardsTitle = 'Boards';

export function layout(title: string, account: Account | undefined, body: Html): Html {
  const who =
    account &&
    html`<form method="post" action="/sign-out"><span class="who" style="--c:${account.color}">${account.name}</span> <button>Sign out</button></form>`;
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="stylesheet" href="/style.css">
<header>${account && title !== boardsTitle && html`<a href="/">${boardsTitle}</a>`} <h1>${title}</h1> ${who}</header>
<main>${body}</main>
</html>
`;
}

export function signInPage(accounts: readonly Account[]): Html {
  const buttons = accounts.map(
    ({ id, name, color }) =>
      html`<button name="account" value="${id}"><span class="who" style="--c:${color}">${name}</span></button>`,
  );
  return html`<section class="sign-in"><h2>Choose an account</h2>
<p class="muted">A small task board on svc. Open it in two windows, and every change in one appears in the other.</p>
<form method="post" action="/sign-in" class="people">${buttons}</form></section>`;
}

export function boardsPage(list: Result<typeof boards>): Html {
  const items = list.map(
    ({ id, name, cards, open }) =>
      html`<li><a href="/boards/${id}"><strong>${name}</strong><progress max="${cards}" value="${cards - open}" aria-label="Cards done"></progress><small>${open} of ${cards} open</small></a></li>`,
  );
  const shown =
    items.length === 0
      ? html`<p class="empty">There is no board yet. Add the first one.</p>`
      : html`<ul class="boards">${items}</ul>`;
  return html`${shown}
<form method="post" action="/boards" class="add"><input name="name" required maxlength="80" placeholder="A new board" aria-label="Name of the board"> <button>Add</button></form>`;
}

/** Returns the columns of a board: the part of the page that the script replaces. */
export function boardColumns({ cards }: Board): Html {
  const columns = states.map((state) => {
    const own = cards.filter((it) => it.state === state);
    return html`<section class="column" data-state="${state}"><h2>${titles[state]} <small>${own.length}</small></h2>${own.length === 0 ? html`<p class="empty">No cards</p>` : own.map(cardItem)}</section>`;
  });
  return html`<div class="columns">${columns}</div>`;
}

function cardItem({ id, title, assignee, comments, state }: Board['cards'][number]): Html {
  const who =
    assignee && html` <span class="who" style="--c:${assignee.color}">${assignee.name}</span>`;
  const said =
    comments > 0 && html` <small>${comments} ${comments === 1 ? 'comment' : 'comments'}</small>`;
  return html`<article class="card" data-card="${id}"><a href="/cards/${id}">${title}</a>${who}${said}${moveForm(id, state)}</article>`;
}

function moveForm(id: number, from: State): Html {
  const others = states.filter((state) => state !== from);
  return html`<form method="post" action="/cards/${id}/move"><input type="hidden" name="from" value="${from}">${others.map((to) => html`<button name="to" value="${to}" aria-label="Move to: ${titles[to]}">→ ${titles[to]}</button>`)}</form>`;
}

export function boardPage(shown: Board, latest: Html): Html {
  return html`<div id="board" data-live="/boards/${shown.id}/live">${boardColumns(shown)}</div>
<form method="post" action="/boards/${shown.id}/cards" class="add"><input name="title" required maxlength="200" placeholder="A new card" aria-label="Title of the card"> <button>Add</button></form>
<h2>Activity</h2>
${latest}
<script src="/live.js"></script>`;
}

export function activityList(boardId: number, rows: Activity, next: string | null): Html {
  const items = rows.map(
    ({ by, what, card: about, created_at: at }) =>
      html`<li><span class="who" style="--c:${by.color}">${by.name}</span> ${what} ${about && html`<a href="/cards/${about.id}">${about.title}</a>`} ${moment(at)}</li>`,
  );
  const older =
    next !== null && html`<p><a href="/boards/${boardId}/activity?after=${next}">Older</a></p>`;
  if (items.length === 0) return html`<p class="empty">Nothing has happened yet.</p>`;
  return html`<ol class="activity">${items}</ol>${older}`;
}

export function activityPage(
  { id, name }: { readonly id: number; readonly name: string },
  rows: Activity,
  next: string | null,
): Html {
  return html`<p class="path"><a href="/boards/${id}">${name}</a></p>
${activityList(id, rows, next)}`;
}

export function cardPage(shown: Card, accounts: readonly Account[]): Html {
  const comments = shown.comments.map(
    ({ author, body, created_at: at }) =>
      html`<li><span class="who" style="--c:${author.color}">${author.name}</span> ${moment(at)}<p>${body}</p></li>`,
  );
  const choices = accounts.map(
    ({ id, name }) =>
      html`<option value="${id}"${shown.assignee?.id === id && html` selected`}>${name}</option>`,
  );
  return html`<p class="path"><a href="/boards/${shown.board_id}">${shown.board.name}</a> · ${titles[shown.state]}</p>
<p class="text">${shown.body || html`<span class="muted">This card has no description.</span>`}</p>
<div class="actions">${moveForm(shown.id, shown.state)}
<form method="post" action="/cards/${shown.id}/assign"><select name="account" aria-label="Assignee"><option value="">unassigned</option>${choices}</select> <button>Assign</button></form></div>
<h2>Comments</h2>
${comments.length === 0 ? html`<p class="empty">No comments yet.</p>` : html`<ol class="comments">${comments}</ol>`}
<form method="post" action="/cards/${shown.id}/comments" class="add"><textarea name="body" required maxlength="4000" aria-label="Comment"></textarea> <button>Comment</button></form>`;
}

/** `back` is the page to return to. */
export function messagePage(message: string, back?: string): Html {
  const again = back !== undefined && html`<p><a href="${back}">Reload the page</a></p>`;
  return html`<p class="message">${message}</p>${again}<p><a href="/">${boardsTitle}</a></p>`;
}

function moment(ms: number): Html {
  const text = new Date(ms).toISOString();
  return html`<time datetime="${text}">${text.slice(0, 16).replace('T', ' ')} UTC</time>`;
}
