// Puts what is new into the page, without closing what the reader has opened.
"use strict";

const EVERY_MS = 3000;
let shown = "";

function put(main) {
  const open = [...document.querySelectorAll("details[open]")].map((details) => details.closest("[id]").id);
  shown = main.innerHTML;
  document.querySelector("main").replaceWith(main);
  for (const id of open) {
    const details = document.getElementById(id)?.querySelector("details");
    if (details) details.open = true;
  }
}

async function renew() {
  try {
    const answer = await fetch("./", { cache: "no-store" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    // a selection would be lost with what it stands in
    if (answer.ok && page.querySelector("main").innerHTML !== shown && getSelection().isCollapsed) {
      document.title = page.title;
      put(page.querySelector("main"));
    }
    document.body.classList.toggle("stale", !answer.ok);
  } catch {
    document.body.classList.add("stale");
  }
  setTimeout(renew, EVERY_MS);
}

setTimeout(renew, EVERY_MS);
