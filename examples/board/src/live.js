// Replaces the board when the server says that it has changed. Who is on a link or a button of a card stays there, where there is one still.
const board = document.getElementById('board');
const events = new EventSource(board.dataset.live);
events.onmessage = ({ data }) => {
  const { activeElement: at } = document;
  const card = board.contains(at) && at.closest('[data-card]')?.dataset.card;
  const isButton = card && at.matches('button');
  board.innerHTML = data;
  if (!card) return;
  const found = board.querySelector(`[data-card="${card}"]`);
  const same = isButton && found?.querySelector(`button[value="${at.value}"]`);
  (same || found?.querySelector('a'))?.focus();
};
