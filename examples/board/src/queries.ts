/** All that the board asks of its database. Queries are values: they are built here, and run where they are needed. */

import { t } from './db/db.gen.ts';
import { program } from './db/svc-runtime.gen.ts';

export const states = ['todo', 'doing', 'done'] as const;
export type State = (typeof states)[number];

export const accounts = t.accounts.orderBy((a) => a.name.asc());

export const boards = t.boards
  .orderBy((b) => b.name.asc())
  .select((b, r) => ({
    ...b,
    cards: r.cards.count(),
    open: r.cards.where((c) => c.state.ne('done')).count(),
  }))
  .named('boards');

/** A board with its cards, the people who have them, and how much was said about each: one statement, read at one moment. */
export const board = (id: number) =>
  t.boards
    .get({ id })
    .select((b, r) => ({
      ...b,
      cards: r.cards
        .orderBy((c) => [c.moved_at.desc(), c.id.desc()])
        .select((c, rc) => ({
          ...c,
          assignee: rc.assignee.select((a) => ({ name: a.name, color: a.color })),
          comments: rc.comments.count(),
        })),
    }))
    .named('board');

export const card = (id: number) =>
  t.cards
    .get({ id })
    .select((c, r) => ({
      ...c,
      board: r.board.select((b) => ({ name: b.name })),
      assignee: r.assignee.select((a) => ({ id: a.id, name: a.name })),
      comments: r.comments
        .orderBy((m) => [m.created_at.asc(), m.id.asc()])
        .select((m, rm) => ({
          ...m,
          author: rm.author.select((a) => ({ name: a.name, color: a.color })),
        })),
    }))
    .named('card');

/** What happened on a board, the latest first; `db.page` reads it piece by piece. */
export const activity = (boardId: number) =>
  t.activity
    .where((a) => a.board_id.eq(boardId))
    .orderBy((a) => [a.created_at.desc(), a.id.desc()])
    .select((a, r) => ({
      id: a.id,
      what: a.what,
      created_at: a.created_at,
      by: r.account.select((who) => ({ name: who.name, color: who.color })),
      card: r.card.select((c) => ({ id: c.id, title: c.title })),
    }))
    .named('activity');

export const addBoard = (name: string) => t.boards.insert({ name });

export const addCard = (boardId: number, accountId: number, title: string) =>
  program((p) => {
    p.ensure('board', p.query(t.boards.where((b) => b.id.eq(boardId))));
    const added = p.do(t.cards.insert({ board_id: boardId, title, state: 'todo' }));
    p.do(
      t.activity.insertFrom(added.rows, (c) => ({
        board_id: c.board_id,
        account_id: accountId,
        card_id: c.id,
        what: 'added',
      })),
    );
    return added;
  });

/** From the state that somebody saw to another one: `EnsureError` of the guard `moved` when somebody else was faster. */
export const moveCard = (id: number, accountId: number, from: State, to: State, nowMs: number) =>
  program((p) => {
    const moved = p.do(
      t.cards.updateWhere((c) => c.id.eq(id).and(c.state.eq(from)), { state: to, moved_at: nowMs }),
    );
    p.ensure('moved', moved.rows);
    p.do(
      t.activity.insertFrom(moved.rows, (c) => ({
        board_id: c.board_id,
        account_id: accountId,
        card_id: c.id,
        what: `moved to ${to}`,
      })),
    );
    return moved.rows.one();
  });

export const assignCard = (id: number, accountId: number, assigneeId: number | null) =>
  program((p) => {
    const changed = p.do(t.cards.updateWhere((c) => c.id.eq(id), { assignee_id: assigneeId }));
    p.ensure('card', changed.rows);
    p.do(
      t.activity.insertFrom(changed.rows, (c) => ({
        board_id: c.board_id,
        account_id: accountId,
        card_id: c.id,
        what: assigneeId === null ? 'gave away' : 'assigned',
      })),
    );
    return changed.rows.one();
  });

export const addComment = (cardId: number, authorId: number, body: string) =>
  program((p) => {
    const on = p.query(t.cards.where((c) => c.id.eq(cardId)));
    p.ensure('card', on);
    const added = p.do(t.comments.insert({ card_id: cardId, author_id: authorId, body }));
    p.do(
      t.activity.insertFrom(on.rows, (c) => ({
        board_id: c.board_id,
        account_id: authorId,
        card_id: c.id,
        what: 'commented',
      })),
    );
    return added;
  });
