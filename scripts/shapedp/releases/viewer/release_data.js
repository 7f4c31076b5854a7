"use strict";
// The page's parts by name, and the data of its release.

const byId = (id) => document.getElementById(id);
const releaseData = () => JSON.parse(byId("release-data").textContent);

function numbers(text, Type) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Type(bytes.buffer);
}
