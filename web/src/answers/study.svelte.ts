// A study of the scenario as it stands: begun, watched, cancelled. What came of it stays when another room is looked at.

import { type Far, type Json } from "../api";
import { scenario } from "../scenario/scenario.svelte";
import { Job } from "../users/job.svelte";
import "./answers.css";

/** How far a study is. */
interface Told {
  what: string;
  done: number;
  of: number;
}

export class Study<Made> {
  /** Which part of it is done, 0 to 1; nothing where that isn't known. */
  part = $state<number | null>(null);
  /** The text that it is of. */
  text = $state("");
  readonly job: Job<Made> = new Job<Made>((far) => this.#heard(far));
  isStale = $derived(this.job.made !== null && this.text !== scenario.text);
  isBusy = $derived(this.job.running !== null || this.job.far !== "");

  #heard(far: Far | Told): string {
    if (!("of" in far)) {
      this.part = null;
      if (!("completed" in far)) return "";
      return far.completed > 0 ? `${far.completed.toLocaleString("en-GB")} operations` : "It begins";
    }
    this.part = far.of > 0 ? Math.min(1, far.done / far.of) : null;
    return `${far.what} (${far.done} of ${far.of})`;
  }

  /** Begins what is begun at this path of the server, with the scenario as it stands. */
  async start(at: string, body: { [key: string]: Json | undefined }): Promise<void> {
    const { path, text } = scenario;
    this.part = null;
    const before = this.job.made;
    await this.job.start({ path, text, ...body }, at);
    if (this.job.made !== before) this.text = text;
  }
}

/** The parts between commas, without those that are blank. */
export const divided = (text: string, by: RegExp = /[,\s]+/): string[] =>
  text
    .split(by)
    .map((one) => one.trim())
    .filter((one) => one !== "");
