// Shows the words of what is under the pointer. Without script the page lacks nothing else.
const box = document.getElementById("says");
document.addEventListener("pointermove", (event) => {
  const words = event.target.dataset ? event.target.dataset.says : undefined;
  box.hidden = !words;
  if (!words) return;
  box.textContent = words;
  const left = Math.min(event.clientX + 14, window.innerWidth - box.offsetWidth - 8);
  box.style.left = Math.max(8, left) + "px";
  box.style.top = Math.max(8, event.clientY - box.offsetHeight - 12) + "px";
});
document.addEventListener("pointerleave", () => { box.hidden = true; });
