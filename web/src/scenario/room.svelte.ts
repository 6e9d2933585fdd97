// What the room of the scenario shows: which part, which key is being looked at, and the schema.

import { get, type ScenarioComplaint } from "../api";
import { flat, idOf, type Key, type Keys, type Node, partsOf, type Path } from "./schema";
import { scenario } from "./scenario.svelte";

const begins = (path: Path, with_: Path): boolean => with_.length <= path.length && with_.every((key, i) => path[i] === key);

/** The key that a complaint says is missing. */
const missing = (one: ScenarioComplaint): string | undefined => /^"([\w-]+)" is missing/.exec(one.message)?.[1];

/** Where a complaint belongs: a key that is missing has a field all the same. */
function placeOf(one: ScenarioComplaint): Path | null {
  if (one.key === null) return null;
  const key = missing(one);
  return key === undefined ? one.key : [...one.key, key];
}

class ScenarioRoom {
  keys = $state.raw<Keys | null>(null);
  /** The part whose keys are shown; nothing for those of the whole. */
  chosen = $state.raw<Path>([]);
  /** The key about which something is told. */
  about = $state.raw<{ key: Key; path: Path } | null>(null);
  /** The line of the text to go to. */
  line = $state<number | null>(null);

  parts = $derived<Node[]>(this.keys ? partsOf(this.keys.scenario, scenario.says) : []);
  all = $derived(flat(this.parts));
  /** A part that is gone is no longer shown. */
  part = $derived(this.all.find((node) => idOf(node.path) === idOf(this.chosen)) ?? null);

  async begin(): Promise<void> {
    this.keys ??= await get<Keys>("scenario/keys");
  }

  /** Complaints about a key, or about anything in it. */
  within(path: Path): ScenarioComplaint[] {
    return scenario.complaints.filter((one) => {
      const place = placeOf(one);
      return place !== null && begins(place, path);
    });
  }

  /** Complaints about exactly this. */
  at(path: Path): ScenarioComplaint[] {
    return scenario.complaints.filter((one) => {
      const place = placeOf(one);
      return place !== null && place.length === path.length && begins(place, path);
    });
  }

  /** Goes to where a complaint belongs: the part, its key, and the line. */
  goTo(one: ScenarioComplaint): void {
    const place = placeOf(one);
    if (place) {
      const within = this.all.filter((node) => begins(place, node.path));
      this.chosen = within.sort((a, b) => b.path.length - a.path.length)[0]?.path ?? [];
      setTimeout(() => {
        for (let depth = place.length; depth > 0; depth -= 1) {
          const field = document.getElementById(idOf(place.slice(0, depth)));
          if (!field) continue;
          for (let above = field.parentElement; above; above = above.parentElement) {
            if (above instanceof HTMLDetailsElement) above.open = true;
          }
          field.focus();
          return;
        }
      });
    }
    this.line = one.line;
  }
}

export const room = new ScenarioRoom();
