/** The page of one user. It sends its queries to the database itself, with the key of the user. */

import { connect } from './db/db.gen.ts';
import * as queries from './notes.ts';

// A browser sends what follows the `#` of an address to no server.
const given = new URLSearchParams(location.hash.slice(1));
const user = given.get('user');
const db = connect({ url: given.get('database'), token: given.get('key') });

const list = document.querySelector('ul');
const form = document.querySelector('form');
const problem = document.querySelector('output');

document.title = `Notes of ${user}`;
document.querySelector('h1').textContent = document.title;
form.addEventListener('submit', (event) => {
  event.preventDefault();
  const body = new FormData(form).get('body');
  form.reset();
  run(() => db.run(queries.write(user, body)));
});
run(() => undefined);

/** Does something, then shows the notes, or what went wrong. */
async function run(action) {
  problem.textContent = '';
  try {
    await action();
    list.replaceChildren(...(await db.run(queries.notes)).map(item));
  } catch (error) {
    problem.textContent = error.message;
  }
}

function item({ id, owner, body, shares }) {
  const entry = document.createElement('li');
  const others = shares.map((share) => share.user).join(', ');
  const about = owner === user ? others && `shared with ${others}` : `of ${owner}`;
  entry.append(body, about && ` (${about})`);
  if (owner !== user) return entry;
  entry.append(
    button('Share', () => {
      const other = prompt('With whom?');
      return other && db.run(queries.share(id, other));
    }),
    button('Change', () => {
      const text = prompt('The note', body);
      return text && db.run(queries.change(id, text));
    }),
    button('Delete', () => db.run(queries.remove(id))),
  );
  return entry;
}

function button(label, action) {
  const element = document.createElement('button');
  element.textContent = label;
  element.addEventListener('click', () => run(action));
  return element;
}
