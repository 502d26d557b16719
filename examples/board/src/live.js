// Replaces the board when the server says that it has changed. A page that nobody sees holds no connection: browsers have six for a site.
const board = document.getElementById('board');
const retryMs = 2000;
let events;
let shown;

function show({ data }) {
  if (data === shown) return;
  shown = data;
  // Who is on a link or a button of a card stays there, where there is one still.
  const { activeElement: at } = document;
  const card = board.contains(at) && at.closest('[data-card]')?.dataset.card;
  const isButton = card && at.matches('button');
  board.innerHTML = data;
  if (!card) return;
  const found = board.querySelector(`[data-card="${card}"]`);
  const same = isButton && found?.querySelector(`button[value="${at.value}"]`);
  (same || found?.querySelector('a'))?.focus();
}

function look() {
  events?.close();
  events = undefined;
  if (document.hidden) return;
  events = new EventSource(board.dataset.live);
  events.onmessage = show;
  // Browsers ask again by themselves, but not after an answer that is none.
  events.onerror = ({ target }) => {
    if (target === events && target.readyState === EventSource.CLOSED) setTimeout(look, retryMs);
  };
}

document.addEventListener('visibilitychange', look);
look();
