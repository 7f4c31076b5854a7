"use strict";
// The review page: draws records from whole numbers, finds and shows them, and writes lines for the sample sheet.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const records = data.records, byId = new Map(records.map((one) => [one.id, one]));
  const ticked = remembered("review"), marked = remembered("marks of review"), named = data.marks || [];
  let pointAt = () => null; // what a pixel of the large view shows, see drawPoints
  const at = (id) => document.getElementById(id);
  const STEPS = 20000, VIEWS = { front: [0, 0], "three-quarter": [38, 6] };
  const CLAY = [214, 190, 168], NOSE = "#d55e00", OFF = "#d55e00", PLAIN = "#0072b2", FAINT = "#8a8f98";
  const HEAT = [[242, 239, 230], [243, 198, 95], [200, 80, 47], [92, 26, 61]];
  const LIGHT = [-0.36, 0.48, 0.8], FARTHEST = 120; // tenths of a mm at which the map ends
  const MARK = "#0072b2", STILL = 4; // pixels by which a click may move
  const MOST_FINE = 200000; // pixels of a surface up to which each is drawn from four

  function numbers(text, Kind) {
    const raw = atob(text), bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    return new Kind(bytes.buffer);
  }

  function rotation([yaw, pitch]) {
    const a = (yaw * Math.PI) / 180, b = (pitch * Math.PI) / 180;
    const [c, s, d, t] = [Math.cos(a), Math.sin(a), Math.cos(b), Math.sin(b)];
    return [c, 0, s, t * s, d, -t * c, -d * s, t, d * c]; // yaw about y, then pitch about x
  }

  function turned(points, r) {
    const out = new Float32Array(points.length);
    for (let i = 0; i < points.length; i += 3) {
      const x = points[i] / STEPS, y = points[i + 1] / STEPS, z = points[i + 2] / STEPS;
      for (let j = 0; j < 3; j++) out[i + j] = r[3 * j] * x + r[3 * j + 1] * y + r[3 * j + 2] * z;
    }
    return out;
  }

  function heat(value) {
    const place = Math.min(1, value / FARTHEST) * (HEAT.length - 1), low = Math.min(HEAT.length - 2, Math.floor(place));
    return [0, 1, 2].map((i) => HEAT[low][i] + (place - low) * (HEAT[low + 1][i] - HEAT[low][i]));
  }

  // A scan's points as a smooth relief: nearest depths blended over the distance of neighbouring points, then shaded.
  // Returns the pixels of STEPS steps, and from a pixel of the box to the shown point's coordinates in STEPS steps.
  function drawPoints(context, box, record, view) {
    const [left, top, width, height] = box.map(Math.round), r = rotation(view);
    const points = turned(numbers(record.points, Int16Array), r), count = points.length / 3;
    if (!count) return;
    const size = 0.47 * Math.min(width / 0.85, height), middle = [left + width / 2, top + height / 2];
    const reach = Math.max(2, Math.ceil((2.9 * size) / Math.sqrt(count))), near = new Float32Array(width * height).fill(-9);
    const total = new Float32Array(width * height), weight = new Float32Array(width * height);
    const around = (i, use) => {
      const x = width / 2 + size * points[3 * i], y = height / 2 - size * points[3 * i + 1];
      for (let row = Math.max(0, Math.floor(y - reach)); row <= Math.min(height - 1, y + reach); row++)
        for (let column = Math.max(0, Math.floor(x - reach)); column <= Math.min(width - 1, x + reach); column++) {
          const q = ((column - x) ** 2 + (row - y) ** 2) / reach ** 2;
          if (q < 1) use(row * width + column, (1 - q) ** 2, points[3 * i + 2]);
        }
    };
    for (let i = 0; i < count; i++) around(i, (at_, w, z) => { if (w > 0.3 && z > near[at_]) near[at_] = z; });
    for (let i = 0; i < count; i++)
      around(i, (at_, w, z) => { if (z > near[at_] - 0.3) { total[at_] += w * z; weight[at_] += w; } });
    const image = context.createImageData(width, height);
    for (let row = 1; row < height - 1; row++)
      for (let column = 1; column < width - 1; column++) {
        const k = row * width + column;
        if (weight[k] < 0.35) continue;
        const depth = (j) => (weight[j] > 0.1 ? total[j] / weight[j] : total[k] / weight[k]);
        const gx = ((depth(k - 1) - depth(k + 1)) * size) / 2, gy = ((depth(k + width) - depth(k - width)) * size) / 2;
        const light = Math.max(0, (gx * LIGHT[0] + gy * LIGHT[1] + LIGHT[2]) / Math.hypot(gx, gy, 1));
        for (let i = 0; i < 3; i++) image.data[4 * k + i] = CLAY[i] * (0.25 + 0.8 * light);
        image.data[4 * k + 3] = 255;
      }
    put(context, image, left, top);
    if (record.nose.length) {
      const tip = turned(record.nose[0], r);
      context.beginPath();
      context.arc(middle[0] + size * tip[0], middle[1] - size * tip[1], Math.max(2.5, size / 28), 0, 7);
      context.fillStyle = NOSE; context.fill(); context.strokeStyle = "white"; context.stroke();
    }
    for (const [name, mark] of Object.entries(marked.get(record.id) || {})) {
      const [x, y] = turned(mark.steps, r), place = [middle[0] + size * x, middle[1] - size * y];
      dot(context, place, Math.max(3, size / 40), MARK);
      if (size < 120) continue; // on a card words would hide the face
      context.font = `${Math.round(size / 18)}px system-ui, sans-serif`; context.textAlign = "left";
      context.fillText(name, place[0] + size / 30, place[1]);
    }
    const point = (column, row) => {
      const k = Math.round(row - top) * width + Math.round(column - left);
      if (!(weight[k] > 0.35)) return null;
      const v = [(column - middle[0]) / size, (middle[1] - row) / size, total[k] / weight[k]];
      return [0, 1, 2].map((i) => STEPS * (r[i] * v[0] + r[3 + i] * v[1] + r[6 + i] * v[2]));
    };
    return { size, point };
  }

  // A bar at the lower left: the longest of 1, 2, 5, 10, ... units that takes a third of the box; pixels: of one unit.
  function scaleBar(context, [left, top, width, height], pixels, unit) {
    const most = width / 3 / pixels, ten = 10 ** Math.floor(Math.log10(most));
    const length = ten * [5, 2, 1].find((times) => times * ten <= most), x = left + 0.06 * width, y = top + 0.96 * height;
    context.strokeStyle = context.fillStyle = getComputedStyle(document.body).getPropertyValue("--ink");
    context.lineWidth = 2; context.beginPath(); context.moveTo(x, y); context.lineTo(x + length * pixels, y); context.stroke();
    context.font = `${Math.round(height / 30)}px system-ui, sans-serif`; context.textAlign = "left";
    context.fillText(`${length} ${unit}`, x, y - 0.02 * height);
    context.lineWidth = 1;
  }

  function put(context, image, left, top, width = image.width, height = image.height) {
    const small = document.createElement("canvas");
    small.width = image.width; small.height = image.height;
    small.getContext("2d").putImageData(image, 0, 0);
    context.drawImage(small, left, top, width, height);
  }

  // The registered surface, coloured by its distance from the reference and lit as if it were curved: light and colour
  // change smoothly from point to point. Returns the pixels of its unit.
  function drawSurface(context, [left, top, width, height], record, view) {
    const [rings, angles] = record.grid;
    if (!rings) return nothing(context, [left, top, width, height], "not registered");
    const points = turned(withMiddle(numbers(record.surface, Int16Array), angles, 3), rotation(view));
    const apart = record.apart ? withMiddle(numbers(record.apart, Uint8Array), angles, 1) : null;
    const size = 0.8 * Math.min(width / 0.85, height), fine = width * height < MOST_FINE ? 2 : 1;
    const w = Math.round(fine * width), h = Math.round(fine * height), corners = triangles(rings, angles);
    const normals = normalsOf(points, corners), image = new ImageData(w, h), depth = new Float32Array(w * h).fill(-9);
    const across = (k) => w / 2 + fine * size * points[3 * k], down = (k) => h / 2 - fine * size * points[3 * k + 1];
    for (let t = 0; t < corners.length; t += 3) {
      const [a, b, c] = corners.subarray(t, t + 3), xs = [a, b, c].map(across), ys = [a, b, c].map(down);
      const area = (xs[1] - xs[0]) * (ys[2] - ys[0]) - (xs[2] - xs[0]) * (ys[1] - ys[0]);
      if (!area) continue;
      const rows = [Math.max(0, Math.ceil(Math.min(...ys))), Math.min(h - 1, Math.floor(Math.max(...ys)))];
      const columns = [Math.max(0, Math.ceil(Math.min(...xs))), Math.min(w - 1, Math.floor(Math.max(...xs)))];
      for (let y = rows[0]; y <= rows[1]; y++)
        for (let x = columns[0]; x <= columns[1]; x++) {
          const p = ((xs[1] - x) * (ys[2] - y) - (xs[2] - x) * (ys[1] - y)) / area;
          const q = ((xs[2] - x) * (ys[0] - y) - (xs[0] - x) * (ys[2] - y)) / area, r = 1 - p - q;
          if (p < 0 || q < 0 || r < 0) continue;
          const between = (values, step, i) => p * values[step * a + i] + q * values[step * b + i] + r * values[step * c + i];
          const z = between(points, 3, 2), k = y * w + x;
          if (z <= depth[k]) continue;
          depth[k] = z;
          const n = [0, 1, 2].map((i) => between(normals, 3, i)), side = n[2] < 0 ? -1 : 1;
          const light = Math.max(0, (side * (n[0] * LIGHT[0] + n[1] * LIGHT[1] + n[2] * LIGHT[2])) / (Math.hypot(...n) || 1));
          const base = apart ? heat(between(apart, 1, 0)) : CLAY;
          for (let i = 0; i < 3; i++) image.data[4 * k + i] = base[i] * (0.45 + 0.6 * light);
          image.data[4 * k + 3] = 255;
        }
    }
    put(context, image, left, top, width, height);
    return size;
  }

  // Values at the points of a grid of rings, so many numbers a point, with their mean over the innermost ring after them.
  function withMiddle(values, angles, step) {
    const out = new Float32Array(values.length + step);
    out.set(values);
    for (let k = 0; k < angles; k++) for (let i = 0; i < step; i++) out[values.length + i] += values[step * k + i] / angles;
    return out;
  }

  // Corners of the triangles between rings, and of those about the middle.
  function triangles(rings, angles) {
    const corners = [], middle = rings * angles;
    for (let angle = 0; angle < angles; angle++) {
      const next = (angle + 1) % angles;
      corners.push(middle, angle, next);
      for (let ring = 0; ring + 1 < rings; ring++) {
        const [a, b, c, d] = [ring * angles + angle, (ring + 1) * angles + angle, (ring + 1) * angles + next, ring * angles + next];
        corners.push(a, b, c, a, c, d);
      }
    }
    return Uint32Array.from(corners);
  }

  // At each point the sum of the normals of its triangles, as long as these are large.
  function normalsOf(points, corners) {
    const out = new Float32Array(points.length);
    for (let t = 0; t < corners.length; t += 3) {
      const [a, b, c] = [3 * corners[t], 3 * corners[t + 1], 3 * corners[t + 2]], u = [0, 1, 2].map((i) => points[b + i] - points[a + i]);
      const v = [0, 1, 2].map((i) => points[c + i] - points[a + i]);
      const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
      for (const at_ of [a, b, c]) for (let i = 0; i < 3; i++) out[at_ + i] += n[i];
    }
    return out;
  }

  function nothing(context, [left, top, width, height], words) {
    context.fillStyle = getComputedStyle(document.body).getPropertyValue("--quiet");
    context.font = "13px system-ui, sans-serif"; context.textAlign = "center";
    context.fillText(words, left + width / 2, top + height / 2);
  }

  // Landmarks over the public mean's, which is faint; those that lie off and pairs that look exchanged stand out.
  function drawLandmarks(context, [left, top, width, height], record, axes, numbered) {
    const d = data.dimensions, mean = numbers(data.reference, Int16Array), own = record.shape ? numbers(record.shape, Int16Array) : null;
    const size = Math.min(width / data.extents[axes[0]], height / data.extents[axes[1]]) / STEPS, x0 = left + width / 2, y0 = top + height / 2;
    const at_ = (points, k) => [x0 + size * points[k * d + axes[0]], y0 - size * points[k * d + axes[1]]];
    const count = mean.length / d, off = new Set(record.off), wrong = new Set((record.swapped || []).flat());
    const joined = (points, colour) => {
      context.strokeStyle = colour; context.lineWidth = 1; context.beginPath();
      for (const [a, b] of data.links) { context.moveTo(...at_(points, a - 1)); context.lineTo(...at_(points, b - 1)); }
      context.stroke();
    };
    joined(mean, FAINT);
    for (let k = 0; k < count; k++) dot(context, at_(mean, k), 1.5, FAINT);
    if (!own) return nothing(context, [left, top, width, height], "no shape");
    joined(own, PLAIN);
    context.strokeStyle = OFF;
    for (const pair of record.swapped || []) {
      context.beginPath(); context.moveTo(...at_(own, pair[0] - 1)); context.lineTo(...at_(own, pair[1] - 1)); context.stroke();
    }
    for (let k = 0; k < count; k++) {
      const bad = off.has(k + 1) || wrong.has(k + 1);
      dot(context, at_(own, k), bad ? 3.5 : 2, bad ? OFF : PLAIN);
      if (numbered || bad) {
        context.fillStyle = bad ? OFF : FAINT; context.font = "11px system-ui, sans-serif"; context.textAlign = "left";
        context.fillText(String(k + 1), at_(own, k)[0] + 5, at_(own, k)[1] - 4);
      }
    }
  }

  function dot(context, [x, y], radius, colour) {
    context.beginPath(); context.arc(x, y, radius, 0, 7); context.fillStyle = colour; context.fill();
  }

  function draw(canvas, record, turn) {
    const ratio = Math.min(2, devicePixelRatio || 1), width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width) return;
    canvas.width = width * ratio; canvas.height = height * ratio;
    const context = canvas.getContext("2d"), w = canvas.width, h = canvas.height;
    if (data.kind === "faces") {
      const views = turn ? [turn] : Object.values(VIEWS), parts = views.length + 1;
      const boxes = Array.from({ length: parts }, (_, i) => [(i * w) / parts, 0, w / parts, h]);
      const scan = views.map((view, i) => drawPoints(context, boxes[i], record, view)).pop();
      const registered = drawSurface(context, boxes[parts - 1], record, turn || VIEWS.front);
      if (turn && scan) scaleBar(context, boxes[0], scan.size / (STEPS * record.unit), "of the scan's units");
      if (turn && canvas === at("large")) pointAt = scan ? scan.point : () => null;
      if (turn && registered) scaleBar(context, boxes[1], registered / data.mm, "mm");
    } else {
      const sides = data.dimensions === 3 ? [[0, 1], [2, 1]] : [[0, 1]];
      sides.forEach((axes, i) => drawLandmarks(context, [(i * w) / sides.length, 0, w / sides.length, h], record, axes, Boolean(turn)));
    }
    canvas.dataset.drawn = record.id;
  }

  // The list: a card a record, drawn while it is near the screen and let go when it is far.
  const cards = new Map();
  let printing = false;
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const canvas = target.querySelector("canvas");
      if (isIntersecting) draw(canvas, byId.get(target.dataset.id));
      else if (!printing) forget(canvas);
    }
  }, { rootMargin: "300px" });

  function forget(canvas) { canvas.width = canvas.height = 0; delete canvas.dataset.drawn; }

  // On paper all cards are seen, not those near the screen alone.
  addEventListener("beforeprint", () => {
    printing = true;
    for (const [id, card] of cards) {
      const canvas = card.querySelector("canvas");
      if (!card.parentElement.hidden && !canvas.dataset.drawn) draw(canvas, byId.get(id));
    }
  });
  addEventListener("afterprint", () => {
    printing = false;
    for (const card of cards.values()) { seen.unobserve(card); forget(card.querySelector("canvas")); seen.observe(card); }
  });

  function element(name, given, ...children) {
    const made = Object.assign(document.createElement(name), given);
    made.append(...children);
    return made;
  }

  for (const record of records) {
    const canvas = element("canvas", {}), state = element("span", { className: `state ${record.state}`, textContent: record.state });
    canvas.setAttribute("aria-hidden", "true");
    const why = element("span", { className: "why", textContent: record.words[0] || (record.mm ? `${record.mm} mm from the reference` : "") });
    const card = element("button", { type: "button", className: `card ${record.state}` }, canvas, state,
      element("span", { className: "name", textContent: record.id }), why);
    card.dataset.id = record.id;
    card.addEventListener("click", () => open(record.id));
    cards.set(record.id, card);
    at("list").append(element("li", {}, card));
    seen.observe(card);
  }
  for (const name of ["batch", "group"]) {
    const found = [...new Set(records.map((one) => one[name]))].filter(Boolean).sort();
    found.forEach((one) => at(name).append(element("option", { textContent: one })));
    at(name).parentElement.hidden = found.length < 2;
  }
  at("legend").append(...(data.kind === "faces"
    ? ["0 ", element("span", { className: "heat" }), ` ${FARTHEST / 10} mm from the reference`] : [data.legend]));

  function chosen() {
    const words = at("search").value.toLowerCase(), state = at("state").value;
    return records.filter((one) =>
      (!words || [one.id, ...one.words].join(" ").toLowerCase().includes(words)) &&
      (!state || (state === "ticked" ? ticked.has(one.id) : one.state === state)) &&
      ["batch", "group"].every((name) => !at(name).value || one[name] === at(name).value));
  }

  function filter() {
    const shown = new Set(chosen().map((one) => one.id));
    for (const [id, card] of cards) card.parentElement.hidden = !shown.has(id);
    at("shown").textContent = `${shown.size} of ${records.length}`;
  }
  for (const name of ["search", "state", "batch", "group"]) at(name).addEventListener("input", filter);

  // The single view: one record, large; another of the same person beside it.
  let current = null, turn = [...VIEWS["three-quarter"]];
  function open(id) {
    current = byId.get(id); turn = [...VIEWS["three-quarter"]];
    at("single-name").textContent = current.id;
    at("single-state").textContent = `${current.state}${current.turned === false ? ", as it was scanned" : ""}`;
    at("single-words").replaceChildren(...current.words.map((one) => element("li", { textContent: one })));
    at("figures").replaceChildren(...Object.entries(current.figures).map(([name, value]) =>
      element("div", {}, element("span", { textContent: name }), element("span", { textContent: value }))));
    at("tick").checked = ticked.has(id); at("reason").value = ticked.get(id) || "";
    at("marking").hidden = !named.length; at("mark").value = "";
    at("beside").hidden = !current.other.length;
    at("beside").textContent = `Beside ${current.other[0] || ""}, of the same person`;
    at("second").hidden = true; at("two").classList.remove("beside");
    if (!at("single").open) at("single").showModal();
    at("large-words").textContent = words(current);
    at("large").focus();
    redraw();
  }
  const words = (one) => (data.kind === "faces"
    ? `${one.id}: the scan${one.nose.length ? " with its center" : ""}, and its registered face coloured by its distance from the reference${one.mm ? ` (${one.mm} mm rms)` : ""}.`
    : `${one.id}: its landmarks over the public mean, which is grey.`);
  function redraw() {
    draw(at("large"), current, turn);
    if (!at("second").hidden) draw(at("large-other"), byId.get(current.other[0]), turn);
  }
  function go(step) {
    const found = chosen(), place = found.indexOf(current) + step;
    if (found[place]) open(found[place].id);
  }
  at("beside").addEventListener("click", () => {
    at("second").hidden = false; at("two").classList.add("beside");
    at("other-words").textContent = words(byId.get(current.other[0]));
    redraw();
  });
  at("previous").addEventListener("click", () => go(-1));
  at("next").addEventListener("click", () => go(1));
  at("close").addEventListener("click", () => at("single").close());
  at("single").addEventListener("close", () => cards.get(current.id).focus());
  let held = null;
  at("two").addEventListener("pointerdown", (event) => { held = [event.clientX, event.clientY]; });
  addEventListener("pointerup", () => { held = null; });

  // Marks: a click on the large view of the scan, where the point that is chosen lies.
  let pressed = null;
  at("mark").append(...named.map((one) => element("option", { value: one.name, textContent: one.words })));
  at("large").addEventListener("pointerdown", (event) => { pressed = [event.offsetX, event.offsetY]; });
  at("large").addEventListener("click", (event) => {
    const canvas = at("large"), name = at("mark").value, ratio = canvas.width / canvas.clientWidth;
    if (!name || !pressed || Math.hypot(event.offsetX - pressed[0], event.offsetY - pressed[1]) > STILL) return;
    const steps = pointAt(event.offsetX * ratio, event.offsetY * ratio);
    if (!steps) return;
    const point = [0, 1, 2].map((j) => current.middle[j] +
      current.unit * (steps[0] * current.axes[j] + steps[1] * current.axes[3 + j] + steps[2] * current.axes[6 + j]));
    marked.set(current.id, { ...marked.get(current.id), [name]: { steps, point } });
    const rest = named.slice(1 + named.findIndex((one) => one.name === name)).find((one) => !marked.get(current.id)[one.name]);
    at("mark").value = rest ? rest.name : "";
    remember(); redraw();
  });
  at("unmark").addEventListener("click", () => { marked.delete(current.id); remember(); redraw(); });
  addEventListener("pointermove", (event) => {
    if (!held || data.kind !== "faces") return;
    turn = [turn[0] + (event.clientX - held[0]) / 2, Math.max(-80, Math.min(80, turn[1] + (event.clientY - held[1]) / 2))];
    held = [event.clientX, event.clientY];
    requestAnimationFrame(redraw);
  });

  function tick() {
    if (at("tick").checked) ticked.set(current.id, at("reason").value.replace(/\s+/g, " ").trim());
    else ticked.delete(current.id);
    remember();
  }
  at("tick").addEventListener("change", tick);
  at("reason").addEventListener("input", () => { if (at("tick").checked) tick(); });
  function remembered(what) {
    try { return new Map(JSON.parse(localStorage.getItem(`${what} ${data.title}`) || "[]").filter(([id]) => byId.has(id))); }
    catch { return new Map(); }
  }
  function remember() {
    try {
      localStorage.setItem(`review ${data.title}`, JSON.stringify([...ticked]));
      localStorage.setItem(`marks of review ${data.title}`, JSON.stringify([...marked]));
    } catch { /* kept for as long as the page is open */ }
    at("lines").value = sheetLines().map((cells) => cells.join("\t")).join("\n");
    for (const [id, card] of cards) card.classList.toggle("ticked", ticked.has(id));
    filter();
  }
  // The header, and a row for each record that is ticked or marked: only the columns that some of them need.
  function sheetLines() {
    const used = named.filter((one) => [...marked.values()].some((marks) => marks[one.name]));
    const ids = [...new Set([...ticked.keys(), ...marked.keys()])];
    if (!ids.length) return [];
    const coordinates = (id, one) => {
      const mark = (marked.get(id) || {})[one.name], digits = Math.max(0, Math.min(9, 1 - Math.floor(Math.log10(byId.get(id).unit))));
      return mark ? mark.point.map((x) => x.toFixed(digits)) : ["", "", ""];
    };
    const use = (id) => (!ticked.size ? [] : ticked.has(id) ? ["no", ticked.get(id)] : ["yes", ""]);
    const header = ["id", ...(ticked.size ? ["use", "reason"] : []), ...used.flatMap((one) => one.columns)];
    return [header, ...ids.map((id) => [id, ...use(id), ...used.flatMap((one) => coordinates(id, one))])];
  }
  at("save").addEventListener("click", () => {
    const file = element("a", { href: URL.createObjectURL(new Blob([`${at("lines").value}\n`], { type: "text/tab-separated-values" })), download: "reviewed.tsv" });
    file.click(); URL.revokeObjectURL(file.href);
  });
  at("copy").addEventListener("click", () => { at("lines").select(); navigator.clipboard?.writeText(at("lines").value); });

  addEventListener("keydown", (event) => {
    const typing = event.target.matches("input[type=search], input[type=text], textarea, select");
    if (at("single").open) {
      if (typing) return;
      if (event.key === "ArrowLeft") go(-1);
      else if (event.key === "ArrowRight") go(1);
      else if (event.key === "x") { at("tick").checked = !at("tick").checked; tick(); }
      return;
    }
    if (event.key === "/" && !typing) { event.preventDefault(); at("search").focus(); return; }
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step || (typing && event.key !== "ArrowDown")) return;
    const found = chosen(), here = document.activeElement?.dataset?.id;
    const place = here ? found.findIndex((one) => one.id === here) + step : 0;
    if (found[place]) { event.preventDefault(); cards.get(found[place].id).focus(); }
  });
  remember();
})();
