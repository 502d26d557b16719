/** Twelve schemas, each with what makes its client different from the others', and the configuration of that. */

export interface Golden {
  readonly name: string;
  /** Of `svc.schema.yaml`. */
  readonly schema: string;
  /** Of the list `generate`. */
  readonly target: string;
}

const plain = '- {language: typescript, output: db, imports: ts}';

const forum = `tables:
  - id: 1
    name: users
    columns:
      - {id: 1, name: id, type: int64, pk: true, default: increment()}
      - {id: 2, name: handle, type: string}
      - {id: 3, name: bio, type: string, nullable: true}
    indexes:
      - {name: users_handle, columns: [handle], unique: true}
  - id: 2
    name: posts
    columns:
      - {id: 1, name: id, type: int64, pk: true, default: increment()}
      - {id: 2, name: author_id, type: int64}
      - {id: 3, name: title, type: string}
      - {id: 4, name: score, type: int64, default: 0}
      - {id: 5, name: meta, type: string, nullable: true}
      - {id: 6, name: status, type: string}
      - {id: 7, name: created_at, type: int64, format: unix_ms}
    foreign_keys:
      - {name: posts_author_id_fk, columns: [author_id], ref_table: users, ref_columns: [id]}
`;

export const goldens: readonly Golden[] = [
  { name: 'forum', schema: forum, target: plain },
  {
    name: 'configured',
    schema: forum,
    target: `- language: typescript
  output: db
  imports: ts
  int64: string
  unix_ms: native
  ids: branded
  naming: camel
  columns: {posts.score: number, posts.status: {type: "'draft' | 'live'"}, posts.meta: {json: "{ readonly tags: readonly string[] }"}}
  names: {posts: articles, posts.title: headline}
  relations: {posts_author_id_fk: [writer, written]}
`,
  },
  {
    name: 'self-reference',
    schema: `tables:
  - id: 1
    name: folders
    columns:
      - {id: 1, name: id, type: bytes, pk: true, format: uuid, default: uuid_v7()}
      - {id: 2, name: parent_id, type: bytes, format: uuid, nullable: true}
      - {id: 3, name: name, type: string}
    foreign_keys:
      - {name: folders_parent_id_fk, columns: [parent_id], ref_table: folders, ref_columns: [id]}
`,
    target: plain,
  },
  {
    name: 'two-keys-between',
    schema: `tables:
  - id: 1
    name: teams
    columns: [{id: 1, name: id, type: int64, pk: true}]
  - id: 2
    name: matches
    columns:
      - {id: 1, name: id, type: int64, pk: true}
      - {id: 2, name: home_id, type: int64}
      - {id: 3, name: guest_id, type: int64}
    foreign_keys:
      - {name: matches_guest_fk, columns: [guest_id], ref_table: teams, ref_columns: [id]}
      - {name: matches_home_fk, columns: [home_id], ref_table: teams, ref_columns: [id]}
`,
    target: plain,
  },
  {
    name: 'many-to-many',
    schema: `tables:
  - id: 1
    name: notes
    columns: [{id: 1, name: id, type: int64, pk: true}, {id: 2, name: text, type: string}]
  - id: 2
    name: tags
    columns: [{id: 1, name: name, type: string, pk: true}]
  - id: 3
    name: note_tags
    columns:
      - {id: 1, name: note_id, type: int64, pk: true}
      - {id: 2, name: tag, type: string, pk: true}
    foreign_keys:
      - {name: note_tags_note_fk, columns: [note_id], ref_table: notes, ref_columns: [id]}
      - {name: note_tags_tag_fk, columns: [tag], ref_table: tags, ref_columns: [name]}
`,
    target: plain,
  },
  {
    name: 'one-to-one',
    schema: `tables:
  - id: 1
    name: users
    columns: [{id: 1, name: id, type: int64, pk: true}]
  - id: 2
    name: profiles
    columns:
      - {id: 1, name: user_id, type: int64, pk: true}
      - {id: 2, name: motto, type: string, nullable: true}
    foreign_keys:
      - {name: profiles_user_fk, columns: [user_id], ref_table: users, ref_columns: [id]}
`,
    target: plain,
  },
  {
    name: 'composite-keys',
    schema: `tables:
  - id: 1
    name: shelves
    columns:
      - {id: 1, name: room, type: string, pk: true}
      - {id: 2, name: number, type: int64, pk: true}
  - id: 2
    name: books
    columns:
      - {id: 1, name: isbn, type: string, pk: true}
      - {id: 2, name: room, type: string, nullable: true}
      - {id: 3, name: shelf, type: int64, nullable: true}
    indexes:
      - {name: books_place, columns: [room, shelf, isbn], unique: true}
    foreign_keys:
      - {name: books_shelf_fk, columns: [room, shelf], ref_table: shelves, ref_columns: [room, number]}
`,
    target: plain,
  },
  {
    name: 'formats',
    schema: `tables:
  - id: 1
    name: things
    columns:
      - {id: 1, name: u, type: bytes, pk: true, format: uuid, default: uuid_v7()}
      - {id: 2, name: l, type: bytes, format: ulid, nullable: true}
      - {id: 3, name: x, type: bytes, format: xid}
      - {id: 4, name: raw, type: bytes}
      - {id: 5, name: at, type: int64, format: unix_ms, default: now_ms()}
      - {id: 6, name: f, type: float64, nullable: true}
      - {id: 7, name: b, type: bool, default: false}
      - {id: 8, name: n, type: int64}
`,
    target: plain,
  },
  {
    name: 'names',
    schema: `tables:
  - id: 1
    name: class
    columns:
      - {id: 1, name: __proto__, type: int64, pk: true}
      - {id: 2, name: constructor, type: string}
      - {id: 3, name: größe, type: float64}
      - {id: 4, name: "2nd name", type: string, nullable: true}
      - {id: 5, name: "a*/b\\"c", type: string}
  - id: 2
    name: Date
    columns: [{id: 1, name: id, type: int64, pk: true}]
  - id: 3
    name: "3 d"
    columns: [{id: 1, name: id, type: int64, pk: true}]
  - id: 4
    name: 東京
    columns: [{id: 1, name: id, type: int64, pk: true}]
  - id: 5
    name: "***"
    columns: [{id: 1, name: id, type: int64, pk: true}]
`,
    target: plain,
  },
  {
    name: 'collisions',
    schema: `tables:
  - id: 1
    name: blog_posts
    columns: [{id: 1, name: id, type: int64, pk: true}, {id: 2, name: "id ", type: int64}]
  - id: 2
    name: BlogPosts
    columns: [{id: 1, name: id, type: int64, pk: true}]
  - id: 3
    name: blog_posts_new
    columns:
      - {id: 1, name: id, type: int64, pk: true}
      - {id: 2, name: blog_id, type: int64}
      - {id: 3, name: other_id, type: int64}
    foreign_keys:
      - {name: first_fk, columns: [blog_id], ref_table: blog_posts, ref_columns: [id]}
      - {name: second_fk, columns: [blog_id], ref_table: BlogPosts, ref_columns: [id]}
`,
    target: '- {language: typescript, output: db, imports: ts, naming: camel}',
  },
  {
    name: 'identities',
    schema: `tables:
  - id: 1
    name: orgs
    columns: [{id: 1, name: id, type: int64, pk: true, default: increment()}]
  - id: 2
    name: members
    columns:
      - {id: 1, name: id, type: int64, pk: true}
      - {id: 2, name: org, type: int64}
    foreign_keys:
      - {name: members_org_fk, columns: [org], ref_table: orgs, ref_columns: [id]}
      - {name: members_id_fk, columns: [id], ref_table: orgs, ref_columns: [id]}
`,
    target: '- {language: typescript, output: db, imports: ts, ids: branded, int64: bigint}',
  },
  { name: 'empty', schema: 'tables: []\n', target: plain },
];
