// What a page carries: it draws the page's figures, and turns its light on and off. Without it, the page stands with tables of its values.

import { mount } from "svelte";
import Figure from "./Figure.svelte";
import "./figure.css";
import { read } from "./model";

for (const script of document.querySelectorAll("figure[data-figure] > script")) {
  const figure = read(JSON.parse(script.textContent ?? ""));
  const place = document.createElement("div");
  script.replaceWith(place);
  mount(Figure, { target: place, props: { figure } });
}

const THEMES = ["auto", "light", "dark"];
const button = document.createElement("button");
button.className = "theme";
button.title = "Light, dark, or as the system has it";
let theme = 0;
function turn(): void {
  document.documentElement.dataset["theme"] = THEMES[theme] ?? "auto";
  button.textContent = `Theme: ${THEMES[theme]}`;
}
button.addEventListener("click", () => {
  theme = (theme + 1) % THEMES.length;
  turn();
});
turn();
document.querySelector("main")?.prepend(button);

// Paper can't be unfolded.
addEventListener("beforeprint", () => {
  for (const folded of document.querySelectorAll("details")) folded.open = true;
});
