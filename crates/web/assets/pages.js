// Copy buttons and live progress. Every page works without this file.
'use strict';

for (const box of document.querySelectorAll('.copybox')) {
  const text = box.querySelector('pre');
  const caption = box.querySelector('figcaption');
  if (!text || !caption) continue;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy-button';
  button.textContent = 'Copy';
  button.setAttribute('aria-label', 'Copy: ' + caption.textContent.trim());
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(text);
      button.textContent = 'Selected';
    }
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
  caption.append(button);
}

// A running scan: the server sends the parts of the page that changed, ready made.
const live = document.querySelector('[data-events]');
if (live) {
  const source = new EventSource(live.dataset.events);
  const words = document.getElementById('progress-words');
  const bar = document.getElementById('progress-bar');
  const board = document.getElementById('progress-board');
  source.addEventListener('progress', (event) => {
    const [done, total, text] = event.data.split('\n');
    words.textContent = text;
    bar.max = Number(total);
    bar.value = Number(done);
  });
  source.addEventListener('board', (event) => { board.innerHTML = event.data; });
  // The browser connects again by itself, unless the server refused the stream.
  source.addEventListener('error', () => {
    if (source.readyState === EventSource.CLOSED) setTimeout(() => { location.reload(); }, 3000);
  });
  source.addEventListener('end', (event) => {
    source.close();
    location.replace(event.data);
  });
}
