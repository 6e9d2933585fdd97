// Work that takes its time on the server: begun, watched by its events, cancelled.

import { type Far, post, Refusal, sentence } from "../api";
import { plain } from "../format";

const told = (far: Far): string =>
  "what" in far
    ? `${far.what} (${far.run} of ${far.runs})`
    : `${far.completed.toLocaleString("en-GB")} operations, ${plain(far.model_s)} s of model time`;

/** How long a connection that broke may take to come back. */
const PATIENCE_MS = 10_000;

export class Job<Made> {
  /** Its number, while it goes on. */
  running = $state<number | null>(null);
  /** How far it is; empty where there is none. */
  far = $state("");
  notice = $state("");
  made = $state.raw<Made | null>(null);

  /** `heard` says in words how far it is. */
  constructor(readonly heard: (far: Far) => string = told) {}

  /** Begins what is begun at this path of the server. */
  async start(body: { [key: string]: unknown }, at = "runs"): Promise<void> {
    this.notice = "";
    this.far = "It begins";
    try {
      const { id } = await post<{ id: number }>(at, body);
      this.running = id;
      await this.#watch(id);
    } catch (error) {
      this.notice = sentence(error);
    }
    this.running = null;
    this.far = "";
  }

  #watch(id: number): Promise<void> {
    return new Promise((done, failed) => {
      const events = new EventSource(`api/runs/${id}/events`);
      let patience: ReturnType<typeof setTimeout> | undefined;
      const end = (with_: () => void): void => {
        clearTimeout(patience);
        events.close();
        with_();
      };
      const lost = (): void => end(() => failed(new Refusal("the studio doesn't answer")));
      events.onopen = () => {
        clearTimeout(patience);
        patience = undefined;
      };
      events.addEventListener("progress", (event) => {
        this.far = this.heard(JSON.parse(event.data as string) as Far);
      });
      events.addEventListener("done", (event) => {
        this.made = JSON.parse(event.data as string) as Made;
        end(done);
      });
      events.addEventListener("cancelled", () => end(() => ((this.notice = "Cancelled."), done())));
      events.addEventListener("failed", (event) => {
        const { error, help } = JSON.parse(event.data as string) as { error: string; help: string | null };
        end(() => failed(new Refusal(error, help)));
      });
      // The browser tries again by itself, and the run goes on for as long; but a studio that has ended doesn't come back.
      events.onerror = () => {
        if (events.readyState === EventSource.CLOSED) lost();
        else patience ??= setTimeout(lost, PATIENCE_MS);
      };
    });
  }

  async cancel(): Promise<void> {
    try {
      await post(`runs/${this.running}/cancel`, {});
    } catch (error) {
      this.notice = sentence(error);
    }
  }
}
