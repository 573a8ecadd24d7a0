"use strict";
(() => {
  const steps = [...document.querySelectorAll(".step")];
  const player = document.querySelector(".player");
  const [range, output, eyes] = ["input", "output", "select"].map((what) => player.querySelector(what));
  let at = 0;
  const show = (to) => {
    at = Math.max(0, Math.min(steps.length - 1, to));
    steps.forEach((step, number) => (step.hidden = number !== at));
    range.value = at;
    output.textContent = steps[at].querySelector("h2").textContent;
  };
  const moves = { first: () => 0, back: () => at - 1, next: () => at + 1, last: () => steps.length - 1 };
  player.querySelectorAll("button").forEach((button) => button.addEventListener("click", () => show(moves[button.dataset.go]())));
  range.addEventListener("input", () => show(Number(range.value)));
  addEventListener("keydown", (event) => {
    if (event.target.matches("input, select") || event.ctrlKey || event.altKey || event.metaKey) return;
    const to = { ArrowRight: "next", ArrowLeft: "back", Home: "first", End: "last" }[event.key];
    if (to) event.preventDefault(), show(moves[to]());
  });
  const look = () => {
    const open = eyes.value === "open";
    document.querySelectorAll(".under").forEach((each) => { each.hidden = !open; each.open = open; });
    const mine = open ? "" : eyes.value;
    document.querySelectorAll(".seat").forEach((seat) => (seat.style.order = mine !== "" && seat.dataset.seat === mine ? -1 : 0));
    document.querySelectorAll(".thought").forEach((each) => (each.hidden = mine !== "" && each.dataset.seat !== mine));
  };
  eyes.addEventListener("change", look);
  player.hidden = false;
  look();
  show(0);
})();
