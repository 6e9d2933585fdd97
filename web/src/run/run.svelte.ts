// The run of the scenario: it goes on while other rooms are looked at, and what came of it stays.

import type { Far, Moving, RanScenario } from "../api";
import { plain } from "../format";
import { scenario } from "../scenario/scenario.svelte";
import { Job } from "../users/job.svelte";

class Run {
  moving = $state.raw<Moving | null>(null);
  /** Whether changes are tried once the run is over. */
  whatIf = $state(false);
  /** What was run last. */
  text = $state("");

  job = new Job<RanScenario>((far: Far) => this.#heard(far));
  ran = $derived(this.job.made);
  /** The picture while it goes on, and afterwards the whole. */
  picture = $derived(this.job.running === null ? (this.ran?.moving ?? this.moving) : this.moving);
  isOld = $derived(this.text !== scenario.text);

  #heard(far: Far): string {
    if ("what" in far) return far.what;
    if (far.moving) this.moving = far.moving;
    if (far.trying) return `The run is over; ${far.trying === 1 ? "1 change" : `${far.trying} changes`} of it ${far.trying === 1 ? "is" : "are"} tried`;
    return `${far.completed.toLocaleString("en-GB")} operations, ${plain(far.model_s)} s of model time`;
  }

  async start(): Promise<void> {
    await scenario.check();
    this.moving = null;
    this.job.made = null;
    this.text = scenario.text;
    await this.job.start({ path: scenario.path, text: scenario.text, what_if: this.whatIf }, "scenario/run");
  }
}

export const run = new Run();
