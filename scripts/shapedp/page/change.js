"use strict";
// The slider of a difference: before, after and exaggerated; of a face colours inward and outward, and arrows.

function startChange() {
  const told = releaseData().change, slider = byId("amount"), arrows = byId("arrows");
  const before = numbers(told.before, Float32Array), moved = numbers(told.moved, Float32Array);
  const most = told.most || 1, drawn = { lines: null };

  function colour() {
    const colours = viewers[0].mesh.geometry.getAttribute("color");
    numbers(told.sure, Float32Array).forEach((outward, i) => {
      const share = Math.max(-1, Math.min(1, outward / most)), end = new THREE.Color(share < 0 ? 0x2166ac : 0xb2182b);
      new THREE.Color(0xf7f7f7).lerp(end, Math.abs(share)).toArray(colours.array, 3 * i);
    });
    colours.needsUpdate = true;
  }

  function point() {
    const from = numbers(told.arrows, Uint32Array), ends = new Float32Array(6 * from.length), times = told.exaggerated;
    from.forEach((vertex, i) => {
      for (let axis = 0; axis < 3; axis++) {
        const at = 3 * vertex + axis;
        ends[6 * i + axis] = before[at];
        ends[6 * i + 3 + axis] = before[at] + times * moved[at];
      }
    });
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(ends, 3));
    drawn.lines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: INK }));
    viewers[0].scene.add(drawn.lines);
  }

  function move(moving) {
    const positions = movable(), amount = +slider.value;
    byId("amount-words").textContent = `${amount.toFixed(1)} times`;
    if (!positions) return;
    for (let i = 0; i < positions.length; i++) positions[i] = before[i] + amount * moved[i];
    if (drawn.lines) drawn.lines.visible = arrows.checked;
    showMoved(moving);
  }

  const to = (amount) => () => { slider.value = amount; move(false); };
  slider.addEventListener("input", () => move(true));
  byId("before").addEventListener("click", to(0));
  byId("after").addEventListener("click", to(1));
  byId("exaggerated").addEventListener("click", to(told.exaggerated));
  if (told.sure) {
    if (viewers.length) { colour(); point(); }
    arrows.addEventListener("input", () => move(false));
    byId("noise").checked = true;  // the colours, which here say where it moves
    byId("noise").parentElement.lastChild.textContent = " Inward, outward";
    byId("noise").addEventListener("input", () => { byId("legend").hidden = true; });
  }
  move(false);
}

startChange();
