// The plot as a file: SVG with its colours written into it, and PNG drawn from that.

const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "paint-order", "stroke-linejoin", "font-family", "font-size"];

/** The plot as it is seen, without handles, understood by programs that know nothing of the page's style. */
export function svgText(plot: SVGSVGElement): string {
  const copy = plot.cloneNode(true) as SVGSVGElement;
  const [seen, written] = [plot.querySelectorAll("*"), copy.querySelectorAll("*")];
  seen.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of STYLES) written[i]?.setAttribute(name, style.getPropertyValue(name));
    written[i]?.removeAttribute("class");
  });
  copy.removeAttribute("class");
  copy.setAttribute("width", String(plot.viewBox.baseVal.width));
  copy.setAttribute("height", String(plot.viewBox.baseVal.height));
  for (const handle of copy.querySelectorAll("[role=slider]")) handle.parentElement?.remove();
  for (const told of copy.querySelectorAll(".found, .drag, .reach")) told.remove();
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  paper.setAttribute("width", "100%");
  paper.setAttribute("height", "100%");
  paper.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  copy.prepend(paper);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copy);
}

function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export function saveSvg(plot: SVGSVGElement, name: string): void {
  save(new Blob([svgText(plot)], { type: "image/svg+xml" }), `${name}.svg`);
}

/** Twice as fine as the screen, for paper. */
const FINER = 2;

export async function savePng(plot: SVGSVGElement, name: string): Promise<void> {
  const url = URL.createObjectURL(new Blob([svgText(plot)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = FINER * plot.clientWidth;
    canvas.height = FINER * plot.clientHeight;
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (blob) save(blob, `${name}.png`);
  } finally {
    URL.revokeObjectURL(url);
  }
}
