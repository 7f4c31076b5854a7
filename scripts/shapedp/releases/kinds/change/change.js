"use strict";
// The slider of a difference: before, after and exaggerated; of a face colours inward and outward, and arrows.

const THICK = 0.006;  // of an arrow, in radii of the face

function startChange() {
  const told = releaseData().change, slider = byId("amount"), arrows = byId("arrows");
  const before = numbers(told.before, Float32Array), moved = numbers(told.moved, Float32Array);
  const most = told.most || 1, drawn = { arrows: null };

  function colour() {
    const colours = viewers[0].mesh.geometry.getAttribute("color");
    numbers(told.sure, Float32Array).forEach((outward, i) => {
      const share = Math.max(-1, Math.min(1, outward / most)), end = new THREE.Color(share < 0 ? 0x2166ac : 0xb2182b);
      new THREE.Color(CLAY).lerp(end, Math.abs(share)).toArray(colours.array, 3 * i);
    });
    colours.needsUpdate = true;
  }

  function point() {
    const width = THICK * viewers[0].sphere.radius, spikes = [];  // lines would be a pixel wide, however large the picture
    for (const vertex of numbers(told.arrows, Uint32Array)) {
      const from = new THREE.Vector3().fromArray(before, 3 * vertex);
      const along = new THREE.Vector3().fromArray(moved, 3 * vertex).multiplyScalar(told.exaggerated);
      const tip = from.clone().add(along), wide = Math.abs(along.x) > Math.abs(along.y);
      const across = new THREE.Vector3(wide ? 0 : 1, wide ? 1 : 0, 0).cross(along);
      const foot = [0, 1, 2].map((k) => from.clone().add(across.clone().setLength(width).applyAxisAngle(along.clone().normalize(), (2 * Math.PI * k) / 3)));
      foot.forEach((one, k) => spikes.push(...one.toArray(), ...foot[(k + 1) % 3].toArray(), ...tip.toArray()));
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(spikes), 3));
    drawn.arrows = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ color: INK, side: THREE.DoubleSide }));
    viewers[0].scene.add(drawn.arrows);
  }

  function move(moving) {
    const positions = movable(), amount = +slider.value;
    byId("amount-words").textContent = `${amount.toFixed(1)} times`;
    if (!positions) return;
    for (let i = 0; i < positions.length; i++) positions[i] = before[i] + amount * moved[i];
    if (drawn.arrows) drawn.arrows.visible = arrows.checked;
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
