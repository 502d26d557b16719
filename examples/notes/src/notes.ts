/** All that the page asks of its database. No query mentions who may see what: the policies of the schema do. */

import { t } from './db/db.gen.ts';

/** The notes that the user may read, each with the users that its owner has shared it with. */
export const notes = t.note
  .orderBy((n) => n.id.asc())
  .select((n, r) => ({
    ...n,
    shares: r.share.orderBy((s) => s.user.asc()).select((s) => ({ user: s.user })),
  }))
  .named('notes');

export const write = (owner: string, body: string) => t.note.insert({ owner, body });

export const change = (id: number, body: string) => t.note.update({ id }, { body });

export const remove = (id: number) => t.note.delete({ id });

export const share = (note_id: number, user: string) => t.share.insert({ note_id, user });
