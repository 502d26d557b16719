// Replaces the board when the server says that it has changed.
const board = document.getElementById('board');
const events = new EventSource(board.dataset.live);
events.onmessage = ({ data }) => {
  board.innerHTML = data;
};
