import { mount } from "svelte";
import App from "./App.svelte";
import "./figure/figure.css";
import "./studio.css";

const target = document.getElementById("studio");
if (target) mount(App, { target });
