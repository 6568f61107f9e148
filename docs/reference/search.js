// Looks for names and first sentences as they are typed; names.js has them all, so no network is needed.
'use strict';
{
  const field = document.getElementById('search'), list = document.getElementById('found');
  const most = 20, none = 8;
  let chosen = -1;

  // Names that start with the word come first, then those that hold it, then sentences that do; verbs before members.
  const rank = ([name, kind, , text], word) => {
    const last = name.toLowerCase().split('::').pop(), member = kind === 'member' ? 1 : 0;
    if (last === word) return member;
    if (last.startsWith(word)) return 2 + member;
    if (name.toLowerCase().includes(word)) return 4 + member;
    return text.toLowerCase().includes(word) ? 6 + member : none;
  };
  const item = ([name, kind, address, text]) => {
    const row = document.createElement('li'), link = document.createElement('a');
    link.href = address;
    const code = document.createElement('code');
    code.textContent = name;
    link.append(code, ` ${text || kind}`);
    row.append(link);
    return row;
  };
  const choose = (to) => {
    const rows = [...list.children];
    if (rows.length === 0) return;
    chosen = (to + rows.length) % rows.length;
    rows.forEach((row, i) => row.classList.toggle('chosen', i === chosen));
    rows[chosen].scrollIntoView({block: 'nearest'});
  };
  const update = () => {
    const word = field.value.trim().toLowerCase();
    const found = word === '' ? [] : names.map((entry) => [rank(entry, word), entry]).filter(([r]) => r < none)
      .sort((a, b) => a[0] - b[0] || a[1][0].localeCompare(b[1][0])).slice(0, most).map(([, entry]) => item(entry));
    list.replaceChildren(...found);
    if (word !== '' && found.length === 0) list.append(Object.assign(document.createElement('li'), {textContent: 'Nothing found'}));
    chosen = -1;
    if (found.length > 0) choose(0);
  };
  field.addEventListener('input', update);
  field.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') choose(chosen + 1);
    else if (event.key === 'ArrowUp') choose(chosen - 1);
    else if (event.key === 'Enter') list.children[chosen]?.querySelector('a')?.click();
    else if (event.key === 'Escape') { field.value = ''; update(); }
    else return;
    event.preventDefault();
  });
  list.addEventListener('click', () => { field.value = ''; update(); });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || document.activeElement === field) return;
    event.preventDefault();
    field.focus();
  });
}
