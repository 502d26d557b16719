/**
 * What pages ask for, each with one program: four of a shop (customers, products, orders with lines) and six of a forum (members, posts, replies in
 * threads). Two thirds of the replies answer another one.
 */

import { random } from './data.ts';
import {
  aggregate,
  binary,
  filter,
  join,
  limited,
  lit,
  order,
  programOf,
  project,
  scan,
} from './lir.ts';
import type { Dialect, Question, Workload } from './question.ts';
import { nested, object, objects } from './sql.ts';
import { categoryName, type ShopTable } from './tables.ts';

const int64 = (name: string) => ({ name, type: 'int64' }) as const;
const float64 = (name: string) => ({ name, type: 'float64' }) as const;
const text = (name: string) => ({ name, type: 'text' }) as const;

interface Counts {
  readonly customers: number;
  readonly products: number;
  readonly orders: number;
  readonly lines: number;
  readonly members: number;
  readonly posts: number;
  readonly replies: number;
}

/** So many lines of orders, and so many replies. */
export function pages(size: number): Workload {
  const counts: Counts = {
    customers: size / 20,
    products: Math.max(50, size / 100),
    orders: size / 4,
    lines: size,
    members: size / 20,
    posts: size / 10,
    replies: size,
  };
  return { tables: tablesOf(counts), questions: [...shopPages(counts), ...forumPages(counts)] };
}

function tablesOf(counts: Counts): readonly ShopTable[] {
  const below = random(0xfeed);
  const numbers = (count: number, bound: number) =>
    Uint32Array.from({ length: count }, () => below(bound));
  const buyer = numbers(counts.orders, counts.customers);
  const month = numbers(counts.orders, 24);
  const product = numbers(counts.lines, counts.products);
  const quantity = numbers(counts.lines, 5);
  const author = numbers(counts.posts, counts.members);
  const post = Uint32Array.from({ length: counts.replies }, () => olderOf(counts.posts, below));
  const member = numbers(counts.replies, counts.members);
  const parent = parentsOf(post, below);
  return [
    {
      name: 'customers',
      columns: [int64('id'), text('name'), text('email')],
      indexes: [],
      count: counts.customers,
      row: (id) => [id, `customer ${id}`, `customer${id}@example.org`],
    },
    {
      name: 'products',
      columns: [int64('id'), text('name'), text('category'), float64('price')],
      indexes: [],
      count: counts.products,
      row: (id) => [id, `product ${id}`, categoryName(id % 20), (id % 500) + 0.5],
    },
    {
      name: 'orders',
      columns: [int64('id'), int64('customer_id'), int64('month'), float64('total')],
      indexes: [['customer_id'], ['month']],
      count: counts.orders,
      row: (id) => [id, buyer[id] as number, month[id] as number, (id % 9_973) / 4],
    },
    {
      name: 'lines',
      columns: [int64('id'), int64('order_id'), int64('product_id'), int64('quantity')],
      indexes: [['order_id'], ['product_id']],
      count: counts.lines,
      row: (id) => [id, id >> 2, product[id] as number, 1 + (quantity[id] as number)],
    },
    {
      name: 'members',
      columns: [int64('id'), text('name'), text('about')],
      indexes: [],
      count: counts.members,
      row: (id) => [id, `member ${id}`, `member ${id} says little about this`],
    },
    {
      name: 'posts',
      columns: [int64('id'), int64('member_id'), text('title'), text('body')],
      indexes: [['member_id']],
      count: counts.posts,
      row: (id) => [id, author[id] as number, `post ${id}`, `what post ${id} has to say`],
    },
    {
      name: 'replies',
      columns: [
        int64('id'),
        int64('post_id'),
        int64('parent_id'),
        int64('member_id'),
        text('body'),
      ],
      indexes: [['post_id'], ['parent_id'], ['member_id']],
      count: counts.replies,
      row: (id) => [
        id,
        post[id] as number,
        parent[id] as number,
        member[id] as number,
        `reply ${id} has an opinion, too`,
      ],
    },
  ];
}

/** The older a post, the more it has been replied to; the newest ones have no reply yet. */
function olderOf(posts: number, below: (bound: number) => number): number {
  return Math.floor(posts * (1 - Math.sqrt(below(2 ** 31) / 2 ** 31)));
}

/** For two of three an earlier reply to the same post, if there is one; -1 for the others. */
function parentsOf(post: Uint32Array, below: (bound: number) => number): Int32Array {
  const latest = new Map<number, number>();
  return Int32Array.from(post, (of, id) => {
    const before = latest.get(of);
    latest.set(of, id);
    return before === undefined || below(3) === 0 ? -1 : before;
  });
}

const crossing = (kind: 'first' | 'array' | 'scalar' | 'exists', node: string) => ({ kind, node });
const equals = (left: string, right: string | object) => binary('eq', left, right);
const number = (value: number) => lit('int64', value);

function shopPages(counts: Counts): readonly Question[] {
  const customer = (turn: number) => (turn * 7919) % counts.customers;
  const product = (turn: number) => (turn * 31) % counts.products;
  return [
    {
      id: 'point',
      name: 'a customer by primary key',
      program: (turn) =>
        programOf(
          {
            s: scan('customers', 'c'),
            f: filter('s', equals('c.id', number(customer(turn)))),
          },
          'first',
        ),
      sql: (turn) => `select * from customers where id = ${customer(turn)}`,
    },
    {
      id: 'customer',
      name: 'a customer, the last 10 orders with their products',
      program: (turn) =>
        programOf(
          {
            p: scan('products', 'p'),
            pf: filter('p', equals('p.id', 'l.product_id')),
            product: project('pf', { name: 'p.name', price: 'p.price' }),
            l: scan('lines', 'l'),
            lf: filter('l', equals('l.order_id', 'o.id')),
            lr: order('lf', 'l.id'),
            lines: project('lr', { quantity: 'l.quantity', product: crossing('first', 'product') }),
            o: scan('orders', 'o'),
            of: filter('o', equals('o.customer_id', 'c.id')),
            or: order('of', '-o.id'),
            ol: limited('or', 10),
            orders: project('ol', {
              id: 'o.id',
              total: 'o.total',
              lines: crossing('array', 'lines'),
            }),
            s: scan('customers', 'c'),
            f: filter('s', equals('c.id', number(customer(turn)))),
            x: project('f', { name: 'c.name', orders: crossing('array', 'orders') }),
          },
          'first',
        ),
      sql: (turn, dialect) => {
        const ofLine = object(
          dialect,
          ['p.name', 'p.price'],
          'from products p where p.id = l.product_id',
        );
        const lines = objects(
          dialect,
          ['l.quantity', 'l.product'],
          `select l.quantity, ${nested(dialect, ofLine)} as product from lines l where l.order_id = o.id order by l.id`,
        );
        const orders = objects(
          dialect,
          ['o.id', 'o.total', 'o.lines'],
          `select o.id, o.total, ${nested(dialect, lines)} as lines from orders o where o.customer_id = c.id order by o.id desc limit 10`,
        );
        return `select c.name, ${orders} as orders from customers c where c.id = ${customer(turn)}`;
      },
    },
    {
      id: 'product',
      name: 'a product, how many were sold, the last 5 buyers',
      program: (turn) =>
        programOf(
          {
            q: scan('lines', 'q'),
            qf: filter('q', equals('q.product_id', 'p.id')),
            sold: aggregate('qf', 'n', {}, { n: ['sum', 'q.quantity'] }),
            l: scan('lines', 'l'),
            lf: filter('l', equals('l.product_id', 'p.id')),
            lr: order('lf', '-l.id'),
            ll: limited('lr', 5),
            o: scan('orders', 'o'),
            lo: join('ll', 'o', equals('l.order_id', 'o.id')),
            c: scan('customers', 'c'),
            oc: join('lo', 'c', equals('o.customer_id', 'c.id')),
            br: order('oc', '-l.id'),
            buyers: project('br', { line: 'l.id', name: 'c.name' }),
            s: scan('products', 'p'),
            f: filter('s', equals('p.id', number(product(turn)))),
            x: project('f', {
              name: 'p.name',
              sold: crossing('scalar', 'sold'),
              buyers: crossing('array', 'buyers'),
            }),
          },
          'first',
        ),
      sql: (turn, dialect) => {
        const buyers = objects(
          dialect,
          ['b.line', 'b.name'],
          'select l.id as line, c.name as name from lines l join orders o on o.id = l.order_id join customers c on c.id = o.customer_id where l.product_id = p.id order by l.id desc limit 5',
        );
        return `select p.name, (select sum(quantity) from lines where product_id = p.id) as sold, ${buyers} as buyers from products p where p.id = ${product(turn)}`;
      },
    },
    {
      id: 'best-products',
      name: 'the 10 best products of a category',
      program: (turn) =>
        programOf({
          p: scan('products', 'p'),
          f: filter('p', equals('p.category', lit('text', categoryName(turn % 20)))),
          l: scan('lines', 'l'),
          j: join('f', 'l', equals('p.id', 'l.product_id')),
          g: aggregate('j', 'g', { id: 'p.id', name: 'p.name' }, { sold: ['sum', 'l.quantity'] }),
          r: order('g', '-g.sold', 'g.id'),
          x: limited('r', 10),
        }),
      sql: (turn) =>
        `select p.id, p.name, sum(l.quantity) sold from products p join lines l on l.product_id = p.id where p.category = '${categoryName(turn % 20)}' group by p.id, p.name order by sold desc, p.id limit 10`,
    },
    {
      id: 'months',
      name: 'orders and revenue by month, of a year',
      program: () =>
        programOf({
          s: scan('orders', 'o'),
          f: filter('s', binary('gte', 'o.month', number(12))),
          g: aggregate('f', 'g', { month: 'o.month' }, { n: ['count'], sum: ['sum', 'o.total'] }),
          r: order('g', 'g.month'),
        }),
      sql: () =>
        'select month, count(*) n, sum(total) sum from orders where month >= 12 group by month order by month',
    },
  ];
}

function forumPages(counts: Counts): readonly Question[] {
  const post = (turn: number) => (turn * 7919) % counts.posts;
  const member = (turn: number) => (turn * 7919) % counts.members;
  const before = (turn: number) => counts.posts - ((turn * 131) % (counts.posts >> 1));
  const nameOf = (scope: string, id: string) => ({
    [scope]: scan('members', scope),
    [`${scope}f`]: filter(scope, equals(`${scope}.id`, id)),
    [`${scope}x`]: project(`${scope}f`, { id: `${scope}.id`, name: `${scope}.name` }),
  });
  const nameIn = (dialect: Dialect, id: string) =>
    object(dialect, ['m.id', 'm.name'], `from members m where m.id = ${id}`);
  return [
    {
      id: 'posts',
      name: '20 posts with author and number of replies',
      program: (turn) =>
        programOf({
          ...nameOf('m', 'p.member_id'),
          r: scan('replies', 'r'),
          rf: filter('r', equals('r.post_id', 'p.id')),
          n: aggregate('rf', 'n', {}, { n: ['count'] }),
          s: scan('posts', 'p'),
          f: filter('s', binary('lt', 'p.id', number(before(turn)))),
          o: order('f', '-p.id'),
          l: limited('o', 20),
          x: project('l', {
            id: 'p.id',
            title: 'p.title',
            author: crossing('first', 'mx'),
            replies: crossing('scalar', 'n'),
          }),
        }),
      sql: (turn, dialect) =>
        `select p.id, p.title, ${nameIn(dialect, 'p.member_id')} as author, (select count(*) from replies r where r.post_id = p.id) as replies from posts p where p.id < ${before(turn)} order by p.id desc limit 20`,
    },
    {
      id: 'thread',
      name: 'a post, its replies, their first 3 answers, with authors',
      program: (turn) =>
        programOf(
          {
            ...nameOf('a', 'q.member_id'),
            q: scan('replies', 'q'),
            qf: filter('q', equals('q.parent_id', 'r.id')),
            qr: order('qf', 'q.id'),
            ql: limited('qr', 3),
            answers: project('ql', { id: 'q.id', body: 'q.body', author: crossing('first', 'ax') }),
            ...nameOf('b', 'r.member_id'),
            r: scan('replies', 'r'),
            rf: filter('r', {
              kind: 'binary',
              op: 'and',
              left: equals('r.post_id', 'p.id'),
              right: equals('r.parent_id', number(-1)),
            }),
            rr: order('rf', 'r.id'),
            replies: project('rr', {
              id: 'r.id',
              body: 'r.body',
              author: crossing('first', 'bx'),
              answers: crossing('array', 'answers'),
            }),
            s: scan('posts', 'p'),
            f: filter('s', equals('p.id', number(post(turn)))),
            x: project('f', { title: 'p.title', replies: crossing('array', 'replies') }),
          },
          'first',
        ),
      sql: (turn, dialect) => {
        const answers = objects(
          dialect,
          ['q.id', 'q.body', 'q.author'],
          `select q.id, q.body, ${nested(dialect, nameIn(dialect, 'q.member_id'))} as author from replies q where q.parent_id = r.id order by q.id limit 3`,
        );
        const replies = objects(
          dialect,
          ['r.id', 'r.body', 'r.author', 'r.answers'],
          `select r.id, r.body, ${nested(dialect, nameIn(dialect, 'r.member_id'))} as author, ${nested(dialect, answers)} as answers from replies r where r.post_id = p.id and r.parent_id = -1 order by r.id`,
        );
        return `select p.title, ${replies} as replies from posts p where p.id = ${post(turn)}`;
      },
    },
    {
      id: 'replies',
      name: 'all replies to a post with the names of their members',
      program: (turn) =>
        programOf({
          r: scan('replies', 'r'),
          f: filter('r', equals('r.post_id', number(post(turn)))),
          m: scan('members', 'm'),
          j: join('f', 'm', equals('r.member_id', 'm.id')),
          o: order('j', 'r.id'),
          x: project('o', { id: 'r.id', parent: 'r.parent_id', body: 'r.body', name: 'm.name' }),
        }),
      sql: (turn) =>
        `select r.id, r.parent_id, r.body, m.name from replies r join members m on m.id = r.member_id where r.post_id = ${post(turn)} order by r.id`,
    },
    {
      id: 'member',
      name: 'a member, the last 10 posts, the last 10 replies with titles',
      program: (turn) =>
        programOf(
          {
            p: scan('posts', 'p'),
            pf: filter('p', equals('p.member_id', 'm.id')),
            pr: order('pf', '-p.id'),
            pl: limited('pr', 10),
            posts: project('pl', { id: 'p.id', title: 'p.title' }),
            t: scan('posts', 't'),
            tf: filter('t', equals('t.id', 'r.post_id')),
            title: project('tf', { title: 't.title' }),
            r: scan('replies', 'r'),
            rf: filter('r', equals('r.member_id', 'm.id')),
            rr: order('rf', '-r.id'),
            rl: limited('rr', 10),
            replies: project('rl', { id: 'r.id', title: crossing('scalar', 'title') }),
            s: scan('members', 'm'),
            f: filter('s', equals('m.id', number(member(turn)))),
            x: project('f', {
              name: 'm.name',
              posts: crossing('array', 'posts'),
              replies: crossing('array', 'replies'),
            }),
          },
          'first',
        ),
      sql: (turn, dialect) => {
        const posts = objects(
          dialect,
          ['p.id', 'p.title'],
          'select p.id, p.title from posts p where p.member_id = m.id order by p.id desc limit 10',
        );
        const replies = objects(
          dialect,
          ['r.id', 'r.title'],
          'select r.id, (select t.title from posts t where t.id = r.post_id) as title from replies r where r.member_id = m.id order by r.id desc limit 10',
        );
        return `select m.name, ${posts} as posts, ${replies} as replies from members m where m.id = ${member(turn)}`;
      },
    },
    {
      id: 'top-members',
      name: 'the 10 members with most replies',
      program: () =>
        programOf({
          r: scan('replies', 'r'),
          g: aggregate('r', 'g', { id: 'r.member_id' }, { n: ['count'] }),
          o: order('g', '-g.n', 'g.id'),
          l: limited('o', 10),
        }),
      sql: () =>
        'select member_id id, count(*) n from replies group by member_id order by n desc, id limit 10',
    },
    {
      id: 'unanswered',
      name: 'the last 20 posts that nobody has replied to',
      program: () =>
        programOf({
          r: scan('replies', 'r'),
          rf: filter('r', equals('r.post_id', 'p.id')),
          s: scan('posts', 'p'),
          f: filter('s', { kind: 'unary', op: 'not', expr: crossing('exists', 'rf') }),
          o: order('f', '-p.id'),
          l: limited('o', 20),
          x: project('l', { id: 'p.id', title: 'p.title' }),
        }),
      sql: () =>
        'select p.id, p.title from posts p where not exists (select 1 from replies r where r.post_id = p.id) order by p.id desc limit 20',
    },
  ];
}
