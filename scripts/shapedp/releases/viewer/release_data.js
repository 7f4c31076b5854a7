"use strict";
// The page's parts by name, and the data of its release.

const byId = (id) => document.getElementById(id);
const releaseData = () => JSON.parse(byId("release-data").textContent);

function numbers(text, Type) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Type(bytes.buffer);
}

// What is folded opens where a link leads into it, and on paper.
const unfold = (some) => some.forEach((one) => { one.open = true; });
addEventListener("beforeprint", () => unfold(document.querySelectorAll("details.part")));
for (const link of document.querySelectorAll('a[href^="#"]'))
  link.addEventListener("click", () => { const part = byId(link.hash.slice(1))?.closest("details"); if (part) unfold([part]); });
