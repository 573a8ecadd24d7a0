"use strict";
(() => {
  const all = (what, where = document) => [...where.querySelectorAll(what)];
  const make = (tag, values = {}, ...inside) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(values)) name in node ? (node[name] = value) : node.setAttribute(name, value);
    node.append(...inside);
    return node;
  };
  document.documentElement.classList.add("js");

  // words explained where they stand, on click and on focus
  const meaning = new Map(all(".glossary dt").map((dt) => [dt.textContent, dt.nextElementSibling.textContent]));
  const tip = make("div", { id: "tip", role: "tooltip", hidden: true });
  document.body.append(tip);
  const tell = (button, term) => {
    tip.textContent = meaning.get(term);
    tip.hidden = false;
    const box = button.getBoundingClientRect();
    const left = Math.min(box.left, document.documentElement.clientWidth - tip.offsetWidth - 8);
    tip.style.left = Math.max(8, left) + scrollX + "px";
    tip.style.top = box.bottom + scrollY + 6 + "px";
  };
  const hush = () => (tip.hidden = true);
  const explain = (place, term) => {
    if (!meaning.has(term)) return;
    const button = make("button", { type: "button", className: "why", textContent: "?" });
    button.setAttribute("aria-label", "What is “" + term + "”?");
    button.setAttribute("aria-describedby", "tip");
    button.addEventListener("focus", () => tell(button, term));
    button.addEventListener("click", () => (button.focus(), tell(button, term)));
    button.addEventListener("blur", hush);
    place.append(button);
  };
  addEventListener("keydown", (event) => event.key === "Escape" && hush());

  // tables sorted by any column
  const key = (cell) => {
    const text = cell ? cell.textContent.trim().replace(/\u2212/g, "-") : "";
    const found = /^[-+]?[\d,]*\.?\d+/.exec(text);
    return text === "" ? null : found ? parseFloat(found[0].replace(/,/g, "")) : text.toLowerCase();
  };
  const order = (a, b) => {
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return typeof a === "number" ? a - b : a.localeCompare(b);
  };
  all("table.sortable").forEach((table) => {
    const heads = all("thead th", table);
    heads.forEach((th, column) => {
      const button = make("button", { type: "button", className: "sort" }, ...th.childNodes);
      th.append(button);
      if (th.dataset.term) explain(th, th.dataset.term);
      button.addEventListener("click", () => {
        dismiss();
        const up = th.getAttribute("aria-sort") === "descending";
        const first = !th.hasAttribute("aria-sort");
        heads.forEach((each) => each.removeAttribute("aria-sort"));
        const rows = all("tbody tr", table).map((row) => [key(row.cells[column]), row]);
        const numbers = rows.some(([value]) => typeof value === "number");
        const sign = first ? (numbers && column > 0 ? -1 : 1) : up ? 1 : -1;
        th.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
        rows.sort(([a], [b]) => (a === null || b === null ? order(a, b) : sign * order(a, b)));
        table.tBodies[0].append(...rows.map(([, row]) => row));
      });
    });
  });

  const viewOf = (row) => document.getElementById(row.querySelector("a").hash.slice(1));

  // one tab for each number of players and strategy
  all(".cardstudy").forEach((study, number) => {
    const panels = all(".panel", study);
    const list = make("div", { role: "tablist" });
    list.setAttribute("aria-label", "Who plays");
    const tabs = panels.map((panel, at) => {
      panel.id = "panel" + number + "-" + at;
      panel.setAttribute("role", "tabpanel");
      const tab = make("button", { type: "button", role: "tab", id: "tab" + number + "-" + at, textContent: panel.dataset.tab });
      tab.setAttribute("aria-controls", panel.id);
      panel.setAttribute("aria-labelledby", tab.id);
      panel.querySelector("h3").hidden = true;
      return tab;
    });
    const choose = (at, focus) => {
      tabs.forEach((tab, each) => {
        tab.setAttribute("aria-selected", each === at);
        tab.tabIndex = each === at ? 0 : -1;
        panels[each].hidden = each !== at;
      });
      if (focus) tabs[at].focus();
      filter();
    };
    tabs.forEach((tab, at) => {
      tab.addEventListener("click", () => choose(at));
      tab.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        const to = step ? (at + step + tabs.length) % tabs.length : { Home: 0, End: tabs.length - 1 }[event.key];
        if (to !== undefined) event.preventDefault(), choose(to, true);
      });
    });

    // filters
    const form = study.querySelector(".filters");
    const filter = () => {
      const [veg, family, text] = ["veg", "family", "text"].map((name) => form.elements[name].value);
      let shown = 0, there = 0;
      panels.forEach((panel) =>
        all("tbody > tr:not(.opened)", panel).forEach((row) => {
          const facts = viewOf(row).dataset;
          const fits = (!veg || facts.v.includes(veg)) && (!family || facts.f === family) &&
            row.cells[1].textContent.toLowerCase().includes(text.trim().toLowerCase());
          row.hidden = !fits;
          if (!panel.hidden) there += 1, (shown += fits);
        })
      );
      form.querySelector("output").textContent = shown + " of " + there + " cards";
    };
    form.addEventListener("input", filter);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    form.after(list);
    list.append(...tabs);
    choose(0);

    // pinned cards beside each other
    const place = study.querySelector(".pinned");
    const pinned = new Set();
    const pin = (card) => {
      pinned.has(card) ? pinned.delete(card) : pinned.add(card);
      all(".pin", study).forEach((button) => button.setAttribute("aria-pressed", pinned.has(button.dataset.k)));
      place.replaceChildren(...[...pinned].map((each) => compare(each)));
      place.hidden = !pinned.size;
    };
    const compare = (card) => {
      const view = document.getElementById("k" + card);
      const face = view.querySelector(".card");
      const body = make("tbody");
      panels.forEach((panel) => {
        const row = (panel.querySelector('a[href="#k' + card + '"]') || panel).closest("tr");
        if (row) body.append(make("tr", {}, make("th", { scope: "row", textContent: panel.dataset.tab }), make("td", { textContent: row.cells[2].textContent })));
      });
      const off = make("button", { type: "button", textContent: "unpin" });
      off.addEventListener("click", () => pin(card));
      return make("figure", {}, face ? face.cloneNode(true) : "", make("figcaption", { textContent: view.querySelector("h3").textContent }), make("table", {}, body), off);
    };
    panels.forEach((panel) =>
      all("tbody tr", panel).forEach((row) => {
        const button = make("button", { type: "button", className: "pin", textContent: "pin" });
        button.setAttribute("aria-pressed", "false");
        button.setAttribute("aria-label", "pin " + row.querySelector("a").textContent);
        const card = viewOf(row).id.slice(1);
        button.dataset.k = card;
        button.addEventListener("click", () => pin(card));
        row.cells[1].append(button);
      })
    );
  });

  // a card's own view opens under its row
  let home = null;
  const dismiss = () => close(document.querySelector(".view.open"));
  const close = (view) => {
    home && home.remove();
    home = null;
    view && document.querySelector(".views").append(view);
    all(".view.open").forEach((each) => each.classList.remove("open"));
  };
  all(".cards tbody a").forEach((link) =>
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const view = document.getElementById(link.hash.slice(1));
      const row = link.closest("tr");
      const again = home && home.previousElementSibling === row;
      dismiss();
      if (again) return;
      const cell = make("td", { colSpan: row.cells.length }, view);
      home = make("tr", { className: "opened" }, cell);
      row.after(home);
      view.classList.add("open");
      view.querySelector("p a").onclick = (back) => (back.preventDefault(), close(view), link.focus());
      view.focus({ preventScroll: true });
    })
  );
})();
