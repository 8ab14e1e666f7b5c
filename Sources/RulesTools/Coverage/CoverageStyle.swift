/// How a coverage page looks and moves.

internal import Rules

enum CoverageStyle {
  static let css = """
    :root { color-scheme: light dark; --paper: #fbfaf7; --ink: #23262b; --soft: #6d7178; --line: #e3e0d8;
      --card: #ffffff; --full: #1f8a4c; --half: #b7791f; --none: #c53030; --mark: #fff3c4; }
    @media (prefers-color-scheme: dark) { :root { --paper: #16181c; --ink: #dfe2e6; --soft: #8b919a;
      --line: #2b2f36; --card: #1d2025; --full: #4cc38a; --half: #e5b454; --none: #ff7b72; --mark: #3a3420; } }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--paper); color: var(--ink); font: 14px/1.5 system-ui, sans-serif; }
    .note { margin: 0; padding: .8em 2em; background: var(--mark); }
    header { display: flex; gap: 1.5em; align-items: center; padding: 1.2em 2em; border-bottom: 1px solid var(--line); }
    header > div:nth-child(2) { flex: 1; min-width: 0; }
    h1 { font-size: 1.15em; margin: 0; } header p { margin: .1em 0 .5em; color: var(--soft); }
    h2 { font-size: .8em; text-transform: uppercase; letter-spacing: .08em; color: var(--soft); margin: 1.8em 0 .4em; }
    .figure { font-size: 2.4em; font-weight: 650; font-variant-numeric: tabular-nums; }
    .figure.full { color: var(--full); } .figure.half { color: var(--half); } .figure.none { color: var(--none); }
    .bar { height: 6px; border-radius: 3px; background: var(--line); overflow: hidden; }
    .bar i { display: block; height: 100%; background: var(--full); }
    .legend b { font-weight: 500; margin-left: 1em; }
    .columns { display: grid; grid-template-columns: minmax(0, 1fr) 25em; }
    main { overflow-x: auto; padding: 1em 0; }
    aside { border-left: 1px solid var(--line); padding: 1em 1.2em 3em; }
    .panel { position: sticky; top: 0; z-index: 1; background: var(--card); border: 1px solid var(--line);
      border-radius: 8px; padding: .8em 1em; max-height: 70vh; overflow: auto; box-shadow: 0 4px 16px #0001; }
    .panel pre { margin: 0 0 .5em; white-space: pre-wrap; font: 12px/1.45 ui-monospace, monospace; }
    .panel.pinned { border-color: var(--half); }
    .hint { color: var(--soft); margin: 0; } kbd { border: 1px solid var(--line); border-radius: 4px; padding: 0 .4em; }
    table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
    th { text-align: right; font-weight: 500; color: var(--soft); font-size: .85em; }
    th:first-child, td:first-child { text-align: left; } td { text-align: right; padding: .15em 0 .15em .8em; }
    td:first-child { padding-left: .6em; border-left: 3px solid var(--line); overflow-wrap: anywhere; }
    tr.full td:first-child { border-color: var(--full); } tr.half td:first-child { border-color: var(--half); }
    tr.none td:first-child { border-color: var(--none); }
    a { color: inherit; text-decoration: none; } a:hover { text-decoration: underline; }
    .gaps { list-style: none; margin: 0; padding: 0; font: 12px/1.45 ui-monospace, monospace; }
    .gaps li { padding: .25em 0 .25em .6em; border-left: 3px solid var(--half); margin-bottom: .3em; overflow-wrap: anywhere; }
    .gaps li.none { border-color: var(--none); } .gaps span { color: var(--soft); }
    .source { list-style: none; margin: 0; padding: 0; font: 13px/1.65 ui-monospace, "SF Mono", Menlo, monospace; }
    .source li { display: flex; white-space: pre; scroll-margin-top: 30vh; }
    .source li:target { background: var(--mark); }
    .source i { font-style: normal; color: var(--soft); opacity: .7; width: 4em; text-align: right; flex: none; user-select: none; }
    .source u { text-decoration: none; width: 4.5em; text-align: right; padding-right: 1em; flex: none; user-select: none;
      color: var(--full); border-right: 1px solid var(--line); margin-right: 1em; font-variant-numeric: tabular-nums; }
    .source li.dead u { color: var(--none); } .source code { font: inherit; padding-right: 2em; }
    .x, .allow { border-bottom: 2px solid transparent; padding-bottom: 1px; }
    .full.x, b.full { border-bottom: 2px solid color-mix(in srgb, var(--full) 55%, transparent); }
    .half.x, .half.allow, b.half { border-bottom: 2px solid var(--half); }
    .none.x, .none.allow, b.none { border-bottom: 2px dashed var(--none); }
    .allow.none { background: color-mix(in srgb, var(--none) 9%, transparent); }
    .x.idle { color: color-mix(in srgb, var(--none) 70%, var(--ink)); }
    .x.on { background: var(--mark); cursor: pointer; border-radius: 2px; }
    .true { color: var(--full); } .false { color: var(--half); } .error { color: var(--none); }
    @media (max-width: 900px) { .columns { grid-template-columns: 1fr; } aside { border-left: 0; order: -1; } }
    @media print { .panel { display: none; } .columns { display: block; } }

    """

  static let script = """
    const data = JSON.parse(document.getElementById('data').textContent);
    for (const section of document.querySelectorAll('section')) {
      const entries = data[section.dataset.report], panel = section.querySelector('.panel');
      const hint = [...panel.childNodes];
      let pinned = null;
      const make = (tag, text, name) => {
        const element = document.createElement(tag);
        element.textContent = text;
        if (name) element.className = name;
        return element;
      };
      const kind = text => text === 'true' || text === 'false' ? text : text.startsWith('error:') ? 'error' : '';
      const light = id => section.querySelectorAll('.x').forEach(x => x.classList.toggle('on', x.dataset.e === id));
      const show = id => {
        light(id);
        panel.classList.toggle('pinned', pinned !== null);
        if (id === null) return panel.replaceChildren(...hint);
        const entry = entries[id];
        const text = [...section.querySelectorAll(`.x[data-e="${id}"]`)].map(x => x.textContent.trim()).join('\\n');
        const table = document.createElement('table');
        const head = table.insertRow();
        head.append(make('th', 'value'), make('th', 'times'));
        for (const [value, count] of entry.v) {
          const row = table.insertRow();
          row.append(make('td', value, kind(value)), make('td', count));
        }
        const kept = entry.v.reduce((sum, pair) => sum + pair[1], 0);
        for (const [label, count] of [['other values', entry.n - kept], ['not evaluated', entry.of - entry.n]])
          if (count > 0) table.insertRow().append(make('td', label, 'hint'), make('td', count));
        const counts = entry.t + entry.f > 0 ? `, ${entry.t} true, ${entry.f} false, ${entry.e} errors` : '';
        panel.replaceChildren(make('pre', text),
          make('p', `line ${entry.at}: evaluated ${entry.n} of ${entry.of} times${counts}`, 'hint'), table);
      };
      const listing = section.querySelector('.source');
      const of = event => event.target.closest('.x')?.dataset.e ?? null;
      listing.addEventListener('mouseover', event => { if (pinned === null) show(of(event)); });
      listing.addEventListener('mouseleave', () => { if (pinned === null) show(null); });
      listing.addEventListener('click', event => {
        const id = of(event);
        pinned = id === pinned ? null : id;
        show(id);
      });
      const wanted = new URLSearchParams(location.search).get('show');
      if (wanted && entries[wanted]) { pinned = wanted; show(wanted); }
    }
    const gaps = [...document.querySelectorAll('.gaps a')];
    let gap = -1;
    addEventListener('keydown', event => {
      if (event.key !== 'n' && event.key !== 'p' || !gaps.length) return;
      gap = (gap + (event.key === 'n' ? 1 : gaps.length - 1) + gaps.length) % gaps.length;
      location.hash = gaps[gap].hash;
    });

    """
}
