// The rooms of the studio, in the order in which they are shown: one line each. What is about the scenario has the scenario's bar above it.

import type { Component } from "svelte";
import Compare from "./answers/Compare.svelte";
import Explain from "./answers/Explain.svelte";
import Load from "./answers/Load.svelte";
import Sweep from "./answers/Sweep.svelte";
import Net from "./net/Net.svelte";
import Distributions from "./room/Room.svelte";
import Run from "./run/Run.svelte";
import Scenario from "./scenario/Scenario.svelte";
import Users from "./users/Users.svelte";

export interface Room {
  /** Behind the # of its address. */
  name: string;
  title: string;
  room: Component;
  ofScenario?: boolean;
}

export const ROOMS: Room[] = [
  { name: "scenario", title: "Scenario", room: Scenario, ofScenario: true },
  { name: "run", title: "Run", room: Run, ofScenario: true },
  { name: "net", title: "Net", room: Net, ofScenario: true },
  { name: "explain", title: "Explain", room: Explain, ofScenario: true },
  { name: "load", title: "Load", room: Load, ofScenario: true },
  { name: "compare", title: "Compare", room: Compare, ofScenario: true },
  { name: "sweep", title: "Sweep", room: Sweep, ofScenario: true },
  { name: "distributions", title: "Distributions", room: Distributions },
  { name: "users", title: "Users", room: Users },
];
