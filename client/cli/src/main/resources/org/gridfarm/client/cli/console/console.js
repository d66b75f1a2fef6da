// Keeps the page up to date, filters tables, and goes by keys. The console works without it, a page at a time.
"use strict";
(() => {
  const live = document.getElementById("live");
  const pulse = document.getElementById("pulse");
  const filter = document.getElementById("filter");

  // Makes the children of one element those of another, keeping what is the same: focus and selection stay.
  function morph(from, to) {
    const now = [...from.childNodes];
    const wanted = [...to.childNodes];
    wanted.forEach((node, i) => {
      const old = now[i];
      if (!old) from.append(node);
      else if (old.nodeType !== node.nodeType || old.nodeName !== node.nodeName) old.replaceWith(node);
      else if (node.nodeType === Node.TEXT_NODE) { if (old.data !== node.data) old.data = node.data; }
      else if (!old.isEqualNode(node)) {
        for (const { name } of [...old.attributes]) if (!node.hasAttribute(name) && name !== "hidden") old.removeAttribute(name);
        for (const { name, value } of [...node.attributes]) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
        morph(old, node);
      }
    });
    now.slice(wanted.length).forEach(node => node.remove());
  }

  function apply() {
    const word = filter.value.trim().toLowerCase();
    for (const row of document.querySelectorAll("table[data-filter] tbody tr"))
      row.hidden = word !== "" && !row.textContent.toLowerCase().includes(word);
  }

  if (document.querySelector("table[data-filter]")) {
    filter.hidden = false;
    filter.addEventListener("input", apply);
  }

  function watch() {
    const events = new EventSource("/live?page=" + encodeURIComponent(live.dataset.live));
    events.onmessage = event => {
      const parsed = new DOMParser().parseFromString(event.data, "text/html");
      morph(live, parsed.body);
      apply();
      pulse.textContent = "live";
      pulse.className = "";
    };
    events.onerror = () => {
      pulse.textContent = "connection lost";
      pulse.className = "lost";
      if (events.readyState === EventSource.CLOSED) setTimeout(watch, 3000);
    };
    addEventListener("pagehide", () => events.close());
  }
  if (live) watch();

  const theme = document.getElementById("theme");
  const dark = () => (document.documentElement.dataset.theme
    || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const name = () => { theme.textContent = dark() ? "Light" : "Dark"; };
  const kept = localStorage.getItem("gridfarm-theme");
  if (kept === "dark" || kept === "light") document.documentElement.dataset.theme = kept;
  theme.hidden = false;
  name();
  theme.addEventListener("click", () => {
    document.documentElement.dataset.theme = dark() ? "light" : "dark";
    localStorage.setItem("gridfarm-theme", document.documentElement.dataset.theme);
    name();
  });

  let last = "";
  addEventListener("keydown", event => {
    const typing = event.target.matches("input, textarea, select");
    if (event.key === "Escape" && typing) { event.target.value = ""; event.target.blur(); apply(); return; }
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/" && !filter.hidden) { event.preventDefault(); filter.focus(); return; }
    const go = selector => { const link = document.querySelector(selector); if (link) link.click(); };
    if (last === "g" && /^[a-z]$/.test(event.key)) go(`.places a[data-key="${event.key}"]`);
    else if (event.key === "n") go("a[rel=next]");
    else if (event.key === "p") go("a[rel=prev]");
    last = last === "g" ? "" : event.key;
  });
})();
