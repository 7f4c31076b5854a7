"use strict";
// What hands do to a viewer: keys, a wheel, one finger that drags or two that zoom.

// keys: {key: what it does}; step: factor of one notch of the wheel; zoom(factor); drag(x, y) in pixels of the screen
function listen(box, { keys, step, zoom, drag }) {
  const fingers = new Map();
  const gap = () => { const [a, b] = [...fingers.values()]; return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY); };
  box.addEventListener("keydown", (event) => { if (keys[event.key]) { keys[event.key](); event.preventDefault(); } });
  box.addEventListener("wheel", (event) => { zoom(event.deltaY < 0 ? step : 1 / step); event.preventDefault(); }, { passive: false });
  box.addEventListener("pointerdown", (event) => { box.setPointerCapture(event.pointerId); fingers.set(event.pointerId, event); });
  box.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const old = fingers.size === 2 ? gap() : 0;
    fingers.set(event.pointerId, event);
    if (fingers.size === 2) zoom(gap() / (old || 1));
    else drag(event.clientX - before.clientX, event.clientY - before.clientY);
  });
  for (const end of ["pointerup", "pointercancel"]) box.addEventListener(end, (event) => fingers.delete(event.pointerId));
}
