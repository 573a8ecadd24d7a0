"use strict";
document.querySelectorAll(".game").forEach((game) => {
  const all = (what) => [...game.querySelectorAll(what)];
  const steps = all(".step");
  const [player] = all(".player");
  const [range, output, eyes] = ["input", "output", "select"].map((what) => player.querySelector(what));
  let at = 0;
  const show = (to) => {
    at = Math.max(0, Math.min(steps.length - 1, to));
    steps.forEach((step, number) => (step.hidden = number !== at));
    range.value = at;
    output.textContent = steps[at].querySelector("h2").textContent;
  };
  const moves = { first: () => 0, back: () => at - 1, next: () => at + 1, last: () => steps.length - 1 };
  all(".player button").forEach((button) => button.addEventListener("click", () => show(moves[button.dataset.go]())));
  range.addEventListener("input", () => show(Number(range.value)));
  const place = game.closest("details");
  addEventListener("keydown", (event) => {
    if (event.target.matches("input, select") || event.ctrlKey || event.altKey || event.metaKey) return;
    if (place && !place.contains(event.target)) return;
    const to = { ArrowRight: "next", ArrowLeft: "back", Home: "first", End: "last" }[event.key];
    if (to) event.preventDefault(), show(moves[to]());
  });
  const look = () => {
    const open = eyes.value === "open";
    all(".under").forEach((each) => { each.hidden = !open; each.open = open; });
    const mine = open ? "" : eyes.value;
    all(".seat").forEach((seat) => (seat.style.order = mine !== "" && seat.dataset.seat === mine ? -1 : 0));
    all(".thought").forEach((each) => (each.hidden = mine !== "" && each.dataset.seat !== mine));
  };
  eyes.addEventListener("change", look);
  player.hidden = false;
  look();
  show(0);
});
document.querySelectorAll(".toGame").forEach((link) =>
  link.addEventListener("click", () => (document.getElementById(link.hash.slice(1)).open = true))
);
