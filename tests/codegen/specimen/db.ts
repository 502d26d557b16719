/** What a generated module looks like, written by hand for the schema beside it. */

import {
  type Bytes,
  type Client,
  type ClientOptions,
  compile,
  createClient,
  type Float,
  type Int,
  type One,
  pageOf,
  prepare,
  type Query,
  type Table,
  type TableInfo,
  type Text,
  tablesOf,
} from '../../../src/codegen/typescript/runtime/index.ts';

export interface Users {
  id: number;
  handle: string;
  bio: string | null;
}
export interface UsersNew {
  id?: number | bigint | undefined;
  handle: string;
  bio?: string | null | undefined;
}
export interface UsersPatch {
  handle?: string | undefined;
  bio?: string | null | undefined;
}
export interface UsersCols {
  readonly id: Int<number>;
  readonly handle: Text<string>;
  readonly bio: Text<string | null>;
}
export interface UsersRels {
  readonly posts: Query<Posts, [PostsCols], [PostsRels]>;
  readonly comments: Query<Comments, [CommentsCols], [CommentsRels]>;
}

export interface Posts {
  id: number;
  author_id: number;
  title: string;
  body: string | null;
  score: bigint;
  rating: number | null;
  created_at: number;
}
export interface PostsNew {
  id?: number | bigint | undefined;
  author_id: number | bigint;
  title: string;
  body?: string | null | undefined;
  score?: number | bigint | undefined;
  rating?: number | null | undefined;
  created_at: number | bigint;
}
export interface PostsPatch {
  author_id?: number | bigint | undefined;
  title?: string | undefined;
  body?: string | null | undefined;
  score?: number | bigint | undefined;
  rating?: number | null | undefined;
  created_at?: number | bigint | undefined;
}
export interface PostsCols {
  readonly id: Int<number>;
  readonly author_id: Int<number>;
  readonly title: Text<string>;
  readonly body: Text<string | null>;
  readonly score: Int<bigint>;
  readonly rating: Float<number | null>;
  readonly created_at: Int<number>;
}
export interface PostsRels {
  readonly author: One<Users, Users, [UsersCols], [UsersRels]>;
  readonly comments: Query<Comments, [CommentsCols], [CommentsRels]>;
}

export interface Comments {
  id: string;
  post_id: number;
  author_id: number | null;
  parent_id: string | null;
  body: string;
}
export interface CommentsNew {
  id?: string | undefined;
  post_id: number | bigint;
  author_id?: number | bigint | null | undefined;
  parent_id?: string | null | undefined;
  body: string;
}
export interface CommentsPatch {
  post_id?: number | bigint | undefined;
  author_id?: number | bigint | null | undefined;
  parent_id?: string | null | undefined;
  body?: string | undefined;
}
export interface CommentsCols {
  readonly id: Bytes<string>;
  readonly post_id: Int<number>;
  readonly author_id: Int<number | null>;
  readonly parent_id: Bytes<string | null>;
  readonly body: Text<string>;
}
export interface CommentsRels {
  readonly post: One<Posts, Posts, [PostsCols], [PostsRels]>;
  readonly author: One<Users, Users | null, [UsersCols], [UsersRels]>;
}

export interface Accounts {
  id: bigint;
  balance: bigint;
}
export interface AccountsPatch {
  balance?: number | bigint | undefined;
}
export interface AccountsNew {
  id: number | bigint;
  balance: number | bigint;
}
export interface AccountsCols {
  readonly id: Int<bigint>;
  readonly balance: Int<bigint>;
}

export interface Counters {
  name: string;
  n: bigint;
}
export interface CountersNew {
  name: string;
  n: number | bigint;
}
export interface CountersPatch {
  n?: number | bigint | undefined;
}
export interface CountersCols {
  readonly name: Text<string>;
  readonly n: Int<bigint>;
}

// biome-ignore lint/complexity/noBannedTypes: a table without relations
type NoRels = {};
type IdKey = { readonly id: number | bigint };

export interface Tables {
  readonly users: Table<
    Users,
    UsersNew,
    UsersPatch,
    UsersCols,
    UsersRels,
    IdKey,
    IdKey | { readonly handle: string }
  >;
  readonly posts: Table<Posts, PostsNew, PostsPatch, PostsCols, PostsRels, IdKey>;
  readonly comments: Table<
    Comments,
    CommentsNew,
    CommentsPatch,
    CommentsCols,
    CommentsRels,
    { readonly id: string }
  >;
  readonly accounts: Table<Accounts, AccountsNew, AccountsPatch, AccountsCols, NoRels, IdKey>;
  readonly counters: Table<
    Counters,
    CountersNew,
    CountersPatch,
    CountersCols,
    NoRels,
    { readonly name: string }
  >;
}

const tables: readonly TableInfo[] = [
  [
    'users',
    [
      ['id', 'n', 2],
      ['handle', 't', 0],
      ['bio', 't', 1],
    ],
    [[0], [1]],
    [
      ['posts', 1, [0], [1], 'many'],
      ['comments', 2, [0], [2], 'many'],
    ],
  ],
  [
    'posts',
    [
      ['id', 'n', 2],
      ['author_id', 'n', 0],
      ['title', 't', 0],
      ['body', 't', 1],
      ['score', 'i', 2],
      ['rating', 'f', 1],
      ['created_at', 'n', 0],
    ],
    [[0]],
    [
      ['author', 0, [1], [0], 'one'],
      ['comments', 2, [0], [1], 'many'],
    ],
  ],
  [
    'comments',
    [
      ['id', 'u', 2],
      ['post_id', 'n', 0],
      ['author_id', 'n', 1],
      ['parent_id', 'u', 1],
      ['body', 't', 0],
    ],
    [[0]],
    [
      ['post', 1, [1], [0], 'one'],
      ['author', 0, [2], [0], 'maybe'],
    ],
  ],
  [
    'accounts',
    [
      ['id', 'i', 0],
      ['balance', 'i', 0],
    ],
    [[0]],
    [],
  ],
  [
    'counters',
    [
      ['name', 't', 0],
      ['n', 'i', 0],
    ],
    [[0]],
    [],
  ],
];

export const t = tablesOf(tables) as unknown as Tables;

export function connect(options: ClientOptions): Client {
  const generated = { version: 1, hash: 'by hand', tables: [], compile, page: pageOf, prepare };
  return createClient(generated, options);
}
