import { mount } from "svelte";
import App from "./App.svelte";
import "./figure/figure.css";
import "./studio.css";
import "./scenario/rooms.css";
import "./net/net.css";

const target = document.getElementById("studio");
if (target) mount(App, { target });
