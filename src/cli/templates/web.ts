/** `svc init --template web`. */

import { seedId, type Template } from './template.ts';

const [ada, bob] = [seedId('01'), seedId('02')];
const [hello, draft] = [seedId('11'), seedId('12')];
const question = seedId('21');

export const web: Template = {
  name: 'web',
  about: 'a site with users, sessions, articles and comments',
  schema: `tables:
  - id: 1
    name: users
    columns:
      - { id: 1, name: id, type: bytes, format: uuid, pk: true, default: uuid_v7() }
      - { id: 2, name: email, type: text, unique: true }
      - { id: 3, name: name, type: text }
      # Made by a function for passwords, such as argon2; NULL as long as nobody can log in.
      - { id: 4, name: password_hash, type: text, nullable: true }
      - { id: 5, name: created_at, type: int64, format: unix_ms, default: now_ms() }
  # The hash of what the cookie holds, so that a copy of the table opens no session.
  - id: 2
    name: sessions
    columns:
      - { id: 1, name: token_hash, type: bytes, pk: true }
      - { id: 2, name: user_id, type: bytes, format: uuid, index: true }
      - { id: 3, name: expires_at, type: int64, format: unix_ms, index: true }
    foreign_keys:
      - { name: sessions_user_id_fk, columns: [user_id], ref_table: users, ref_columns: [id], on_delete: cascade }
  - id: 3
    name: articles
    columns:
      - { id: 1, name: id, type: bytes, format: uuid, pk: true, default: uuid_v7() }
      - { id: 2, name: author_id, type: bytes, format: uuid, index: true, ref: users.id }
      - { id: 3, name: slug, type: text, unique: true }
      - { id: 4, name: title, type: text }
      - { id: 5, name: body, type: text, default: "" }
      # NULL is a draft.
      - { id: 6, name: published_at, type: int64, format: unix_ms, nullable: true, index: true }
  - id: 4
    name: comments
    columns:
      - { id: 1, name: id, type: bytes, format: uuid, pk: true, default: uuid_v7() }
      - { id: 2, name: article_id, type: bytes, format: uuid }
      - { id: 3, name: author_id, type: bytes, format: uuid, index: true, ref: users.id }
      - { id: 4, name: parent_id, type: bytes, format: uuid, nullable: true, index: true }
      - { id: 5, name: body, type: text }
      - { id: 6, name: created_at, type: int64, format: unix_ms, default: now_ms() }
    indexes:
      - { columns: [article_id, created_at] }
    foreign_keys:
      - { name: comments_article_id_fk, columns: [article_id], ref_table: articles, ref_columns: [id], on_delete: cascade }
      - { name: comments_parent_id_fk, columns: [parent_id], ref_table: comments, ref_columns: [id], on_delete: cascade }
  - id: 5
    name: likes
    columns:
      - { id: 1, name: article_id, type: bytes, format: uuid, pk: true }
      - { id: 2, name: user_id, type: bytes, format: uuid, pk: true, index: true }
    foreign_keys:
      - { name: likes_article_id_fk, columns: [article_id], ref_table: articles, ref_columns: [id], on_delete: cascade }
      - { name: likes_user_id_fk, columns: [user_id], ref_table: users, ref_columns: [id], on_delete: cascade }
`,
  seed: {
    users: [
      { id: ada, email: 'ada@example.org', name: 'Ada' },
      { id: bob, email: 'bob@example.org', name: 'Bob' },
    ],
    articles: [
      {
        id: hello,
        author_id: ada,
        slug: 'hello',
        title: 'Hello',
        body: 'The first article.',
        published_at: '2026-01-31T12:00:00Z',
      },
      { id: draft, author_id: ada, slug: 'draft', title: 'Not ready yet' },
    ],
    comments: [
      { id: question, article_id: hello, author_id: bob, body: 'Is there more to come?' },
      {
        id: seedId('22'),
        article_id: hello,
        author_id: ada,
        parent_id: question,
        body: 'There is.',
      },
    ],
    likes: [{ article_id: hello, user_id: bob }],
  },
};
