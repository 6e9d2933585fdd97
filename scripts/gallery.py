#!/usr/bin/env python3
"""Makes docs/gallery.md: every example with its question and a picture of what its run says.

    scripts/gallery.py write [PETRIO]    runs every example and writes the page and docs/gallery/NAME.svg
    scripts/gallery.py check [PETRIO]    fails where these are not what the examples give

PETRIO is the program; left out, target/release/petrio. Reports are the same on every machine, and so are the pictures.
"""

import json
import math
import subprocess
import sys
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES, DOCS = ROOT / "examples", ROOT / "docs"
BYTES_MAX = 30_000
WIDTH, HEIGHT = 640, 210
HEAD = """# Gallery

Every example with its question and what its run says: where the time of an average request or operation goes, and how long they take. Made
by `scripts/gallery.py write`.
"""
STYLE = """
text{font:12px system-ui,'DejaVu Sans',sans-serif;fill:#1f2933}.small{font-size:10.5px;fill:#5a6b7b}
.paper{fill:#fff}.bar{fill:#4477aa}.axis{stroke:#9aa7b4}.part{stroke:#fff}
@media (prefers-color-scheme:dark){.paper{fill:#14181d}text{fill:#e4eaf1}.small{fill:#93a4b5}.part{stroke:#14181d}}
"""
# Told apart without colours, too: each part has its name beside it.
COLOURS = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#999933", "#777777"]


def question(path):
    """The first sentences of an example's comment."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line[1:].strip() if line.startswith("#") else ""
        if not words:
            break
        lines.append(words)
    return " ".join(lines)


def significant(value):
    """Three significant digits."""
    if value == 0:
        return "0"
    places = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{places}f}"


def time(ms):
    """Milliseconds in a unit that suits them."""
    for unit, size in (("s", 1e3), ("ms", 1.0), ("µs", 1e-3)):
        if ms >= size * (1 if unit == "s" else 0.1):
            return f"{significant(ms / size)} {unit}"
    return f"{significant(ms * 1e6)} ns" if ms else "0 ms"


def decade_name(exponent):
    """A power of ten of milliseconds: 10 µs, 100 ms."""
    thousands, rest = divmod(exponent + 6, 3)
    unit = ("ns", "µs", "ms", "s", "ks")[max(0, min(thousands, 4))]
    return f"{10**rest} {unit}"


def picture(report):
    """What a report says, as a small SVG."""
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{escape(report['title'])}</title><style>{STYLE}</style>",
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>',
    ]
    mean = (report.get("latency") or {}).get("mean_ms", {})
    mean = mean.get("value") if isinstance(mean, dict) else mean
    rate = report["requests_per_s"]
    rate = rate["value"] if isinstance(rate, dict) else rate
    what = "operations" if report["subject"] == "file-operations" else "requests"
    words = f"{significant(rate)} {what} a second" + (f", {time(mean)} each at the mean" if mean else "")
    out.append(f'<text x="12" y="20">{escape(words)}</text>')
    x, legend = 12.0, 12.0
    shares = sorted(report["breakdown"], key=lambda share: -share["fraction"])
    shares = [share for share in shares if share["fraction"] >= 0.005]
    for share, colour in zip(shares, COLOURS):
        width = share["fraction"] * (WIDTH - 24)
        out.append(f'<rect class="part" x="{x:.1f}" y="30" width="{width:.1f}" height="18" fill="{colour}"/>')
        x += width
        name = f"{share['cause']} {share['fraction'] * 100:.0f} %"
        if legend + 7 * len(name) < WIDTH - 12:
            out.append(f'<rect x="{legend:.1f}" y="56" width="9" height="9" fill="{colour}"/>')
            out.append(f'<text class="small" x="{legend + 13:.1f}" y="64">{escape(name)}</text>')
            legend += 13 + 6.4 * len(name) + 12
    bins = report["histogram"]
    if bins:
        # As much as a page of the report shows: seven decades.
        bins = [bin for bin in bins if bin["to_ms"] > bins[-1]["to_ms"] / 1e7]
        low, high = (math.log10(value) for value in (max(bins[0]["from_ms"], bins[-1]["to_ms"] / 1e7), bins[-1]["to_ms"]))
        most = max(bin["count"] for bin in bins) or 1
        across = lambda ms: 12 + (math.log10(ms) - low) / max(high - low, 1e-9) * (WIDTH - 24)
        for bin in bins:
            left, right = across(max(bin["from_ms"], 10**low)), across(bin["to_ms"])
            height = bin["count"] / most * 100
            if bin["count"]:
                top = 184 - max(height, 0.6)
                out.append(f'<rect class="bar" x="{left:.1f}" y="{top:.1f}" width="{max(right - left, 0.7):.1f}" height="{184 - top:.1f}"/>')
        out.append(f'<path class="axis" d="M12 184.5H{WIDTH - 12}"/>')
        last = -100.0
        for decade in range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1):
            at = across(10**decade)
            if at - last > 60 and at < WIDTH - 40:
                out.append(f'<path class="axis" d="M{at:.1f} 184v4"/><text class="small" x="{at - 3:.1f}" y="200">{decade_name(decade)}</text>')
                last = at
    return "\n".join(out + ["</svg>", ""])


def made(petrio):
    """The page, and every picture by name."""
    page, pictures = [HEAD], {}
    for path in sorted(EXAMPLES.glob("*.toml")):
        ran = subprocess.run([petrio, "run", path, "--no-what-if", "--json", "-"], capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            sys.exit(f"{path.name}: {ran.stderr}")
        report = json.loads(ran.stdout)
        pictures[f"{path.stem}.svg"] = picture(report)
        title = report["title"].replace("|", "\\|")
        page.append(f"\n## {title}\n\n{question(path)}\n\n[![{title}](gallery/{path.stem}.svg)](../examples/{path.name}) {path.name}\n")
    return "".join(page), pictures


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in ("write", "check"):
        sys.exit(__doc__)
    page, pictures = made(sys.argv[2] if len(sys.argv) == 3 else ROOT / "target/release/petrio")
    files = {DOCS / "gallery.md": page} | {DOCS / "gallery" / name: text for name, text in pictures.items()}
    for path, text in files.items():
        if path.suffix == ".svg" and len(text.encode()) >= BYTES_MAX:
            sys.exit(f"{path.name} has {len(text.encode())} bytes, {BYTES_MAX} are too many")
    if sys.argv[1] == "write":
        (DOCS / "gallery").mkdir(exist_ok=True)
        for old in (DOCS / "gallery").glob("*.svg"):
            old.unlink()
        for path, text in files.items():
            path.write_text(text, encoding="utf-8")
        return
    there = {path for path in [DOCS / "gallery.md", *(DOCS / "gallery").glob("*.svg")] if path.exists()}
    wrong = [path for path in there | files.keys() if path not in files or path not in there or path.read_text("utf-8") != files[path]]
    if wrong:
        names = ", ".join(sorted(str(path.relative_to(ROOT)) for path in wrong))
        sys.exit(f"not what the examples give: {names}; make them anew: scripts/gallery.py write")


if __name__ == "__main__":
    main()
