"use strict";
// The viewer of a released outline: move, zoom, landmarks, numbers, reach of the noise, a second release over or beside it.

const SPACE = "http://www.w3.org/2000/svg";
const MARGIN = 1.2, STEP = 0.1, ZOOM = 1.2, DOT = 2.6, LETTERS = 12, BAR = 0.1, TURN = 0.01; // radian a pixel
const SQUARINGS = 40; // of a matrix whose largest eigenvalue stands alone but for one in 10^12
const ALL = { x: 0, y: 0, zoom: 1, turn: 0, tilt: 0 };
const PARTS = ["outline", "landmarks", "numbers", "noise", "grid"];
const GRID = 17, POINTS = 60, BEYOND = 1.25; // lines of a grid each way, points along one, share of the extent

const view = { ...ALL };
const boxes = {};
const shown = { own: null, other: null };
let released, moved;  // landmarks as they were released, and as sliders move them: one after the other
const dot = (z, w) => z.reduce((sum, [x, y], j) => [sum[0] + x * w[j][0] + y * w[j][1], sum[1] + x * w[j][1] - y * w[j][0]], [0, 0]);

function element(name, attributes, parent, text) {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

const inner = (z, w) => z.reduce((sum, point, j) => sum + point.reduce((part, x, axis) => part + x * w[j][axis], 0), 0);

// Centered, of size 1.
function standard(points) {
  const middle = points[0].map((_, axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length);
  const moved = points.map((point) => point.map((x, axis) => x - middle[axis]));
  const size = Math.sqrt(inner(moved, moved));
  if (!(size > 0)) throw new Error("no shape");
  return moved.map((point) => point.map((x) => x / size));
}

// `z` turned to lie best on `onto`, and their distance in radian: cos(distance) = <turned z, onto>.
function aligned(z, onto) {
  const turned = z[0].length === 3 ? turnedInSpace(z, onto) : turnedInPlane(z, onto), c = inner(turned, onto);
  const apart = Math.hypot(...turned.flatMap((point, j) => point.map((x, axis) => x - c * onto[j][axis])));
  return { points: turned, distance: Math.atan2(apart, c) };
}

// Of <z, onto> = c e^(i a), the turn is a.
function turnedInPlane(z, onto) {
  const [re, im] = dot(z, onto), c = Math.hypot(re, im);
  const [cos, sin] = c > 0 ? [re / c, im / c] : [1, 0];
  return z.map(([x, y]) => [cos * x - sin * y, sin * x + cos * y]);
}

// The unit quaternion with the largest q' N q (Horn 1987), never a reflection: N + |N| to a high power is q q'.
function turnedInSpace(z, onto) {
  const m = (a, b) => z.reduce((sum, point, j) => sum + point[a] * onto[j][b], 0);
  const [xx, yy, zz] = [m(0, 0), m(1, 1), m(2, 2)], [u, v, w] = [m(1, 2) - m(2, 1), m(2, 0) - m(0, 2), m(0, 1) - m(1, 0)];
  const [xy, xz, yz] = [m(0, 1) + m(1, 0), m(0, 2) + m(2, 0), m(1, 2) + m(2, 1)];
  let power = [[xx + yy + zz, u, v, w], [u, xx - yy - zz, xy, xz], [v, xy, yy - xx - zz, yz], [w, xz, yz, zz - xx - yy]];
  const size = Math.hypot(...power.flat());
  power = power.map((row, i) => row.map((one, j) => one + (i === j ? size : 0)));
  for (let i = 0; i < SQUARINGS; i += 1) power = squared(power);
  const [a, b, c, d] = power.reduce((best, row) => (Math.hypot(...row) > Math.hypot(...best) ? row : best));
  const n = a * a + b * b + c * c + d * d;
  const turn = [
    [a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
    [2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)],
    [2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d],
  ];
  return z.map((point) => turn.map((row) => row.reduce((sum, one, axis) => sum + one * point[axis], 0) / n));
}

function squared(matrix) {
  const found = matrix.map((row) => matrix.map((_, j) => row.reduce((sum, one, k) => sum + one * matrix[k][j], 0)));
  const size = Math.hypot(...found.flat());
  return found.map((row) => row.map((one) => one / size));
}

const inSpace = () => shown.own.landmarks[0].length === 3;

// Where a landmark stands on the screen, y down; one in space is turned about the upright axis, then tilted.
function seen([x, y, z]) {
  if (z === undefined) return [x, -y];
  const [c, s, u, v] = [Math.cos(view.turn), Math.sin(view.turn), Math.cos(view.tilt), Math.sin(view.tilt)];
  return [c * x + s * z, -(u * y - v * (c * z - s * x))];
}

function drawNoise(shape, points, group) {
  const { ellipses, landmark_noise: r } = shape;
  points.forEach(([cx, cy], j) => {
    if (!ellipses) return element("circle", { class: "reach", cx, cy, r }, group);
    const [rx, ry, angle] = ellipses[j];
    return element("ellipse", { class: "reach", cx, cy, rx, ry, transform: `rotate(${-angle} ${cx} ${cy})` }, group);
  });
}

// Landmarks are joined where they follow a closed contour, or where links or curves say so: their order is no path.
// Where nothing says so, the shortest tree joins them, dotted.
function drawLines(shape, points, group) {
  if (shape.closed) element("polygon", { class: "outline", points: points.join(" ") }, group);
  const kinds = { outline: shape.links || [], "outline near": shape.near || [] };
  for (const [name, links] of Object.entries(kinds)) for (const [from, to] of links)
    element("polyline", { class: name, points: `${points[from - 1]} ${points[to - 1]}` }, group);
}

// The thin-plate spline that takes points onto others (Bookstein 1989), as a function of a point; null where there is
// none, as of landmarks in one place.
function thinPlate(from, onto) {
  const k = from.length, kernel = (square) => (square > 0 ? square * Math.log(square) : 0);
  const row = ([x, y]) => [...from.map(([a, b]) => kernel((x - a) ** 2 + (y - b) ** 2)), 1, x, y];
  const rows = from.map((point, j) => [...row(point), ...onto[j]]);
  for (const part of [() => 1, ([x]) => x, ([, y]) => y]) rows.push([...from.map(part), 0, 0, 0, 0, 0]);
  const weights = solved(rows, k + 3);
  return weights && ((point) => row(point).reduce((sum, one, i) => [sum[0] + one * weights[i][0], sum[1] + one * weights[i][1]], [0, 0]));
}

// (n, 2) solution of n equations whose rows hold n coefficients and two right sides, by elimination with pivots.
function solved(rows, n) {
  for (let i = 0; i < n; i += 1) {
    const best = rows.slice(i).reduce((at, row, j) => (Math.abs(row[i]) > Math.abs(rows[at][i]) ? i + j : at), i);
    [rows[i], rows[best]] = [rows[best], rows[i]];
    if (!(Math.abs(rows[i][i]) > 1e-12)) return null;
    for (let j = i + 1; j < n; j += 1) {
      const factor = rows[j][i] / rows[i][i];
      if (factor) for (let c = i; c < n + 2; c += 1) rows[j][c] -= factor * rows[i][c];
    }
  }
  const found = [];
  for (let i = n - 1; i >= 0; i -= 1)
    found[i] = [0, 1].map((side) => rows[i].slice(i + 1, n).reduce((left, one, c) => left - one * found[i + 1 + c][side], rows[i][n + side]) / rows[i][i]);
  return found;
}

// A square grid about what it is bent from, bent with the landmarks.
function drawGrid(shape, group) {
  const from = shape.grid_from, bent = thinPlate(from, shape.landmarks);
  if (!bent) return;
  const reach = [0, 1].map((axis) => BEYOND * Math.max(...from.map((point) => Math.abs(point[axis]))));
  const along = (count) => Array.from({ length: count }, (_, i) => -1 + (2 * i) / (count - 1));
  for (const axis of [0, 1]) for (const line of along(GRID)) {
    const points = along(POINTS).map((t) => seen(bent(axis ? [line * reach[0], t * reach[1]] : [t * reach[0], line * reach[1]])));
    element("polyline", { class: "grid", points: points.join(" ") }, group);
  }
}

function drawShape(svg, shape, style, unit) {
  const points = shape.landmarks.map(seen);
  const group = element("g", { class: style }, svg);
  if (byId("grid").checked && shape === shown.own && shape.grid_from) drawGrid(shape, group);
  if (byId("noise").checked && shape.landmark_noise) drawNoise(shape, points, group);
  if (byId("outline").checked) drawLines(shape, points, group);
  const slid = new Set(shape.sliding || []), sure = new Set(shape.sure || []);
  const styleOf = (number) => `landmark${slid.has(number) ? " slid" : ""}${sure.has(number) ? " sure" : ""}`;
  if (byId("landmarks").checked)
    points.forEach(([cx, cy], j) => element("circle", { class: styleOf(j + 1), cx, cy, r: DOT * unit }, group));
  if (byId("numbers").checked)
    points.forEach(([x, y], j) => element("text", { x: x + 5 * unit, y: y - 5 * unit, "font-size": LETTERS * unit }, group, j + 1));
}

function draw(name, shapes) {
  const box = boxes[name], { clientWidth: width, clientHeight: height } = box;
  if (!width || !height) return;
  const [wide, tall] = extent();
  const unit = (2 * MARGIN * Math.max(wide / width, tall / height)) / view.zoom; // a pixel, in units of the shape
  const corner = [view.x - (unit * width) / 2, view.y - (unit * height) / 2];
  const svg = document.createElementNS(SPACE, "svg");
  svg.setAttribute("viewBox", [...corner, unit * width, unit * height].join(" "));
  svg.setAttribute("aria-hidden", "true");
  for (const [shape, style] of shapes) drawShape(svg, shape, style, unit);
  const [x, y] = [corner[0] + 14 * unit, corner[1] + (height - 14) * unit];
  element("line", { class: "bar", x1: x, x2: x + BAR, y1: y, y2: y }, svg);
  element("text", { x, y: y - 6 * unit, "font-size": LETTERS * unit }, svg, `${BAR} (the shape's size is 1)`);
  box.replaceChildren(svg);
}

// How far landmarks lie from the middle, to the sides and up or down; in space whichever way it is turned.
function extent() {
  const points = released;
  if (inSpace()) return Array(2).fill(Math.max(...points.map((point) => Math.hypot(...point))));
  return [0, 1].map((axis) => Math.max(...points.map((point) => Math.abs(point[axis]))));
}

function reach() { return Math.max(...released.flat().map(Math.abs)); }

function drawAll() {
  const over = byId("arrangement").value === "over";
  byId("view-other").hidden = over || !shown.other;
  const own = [[shown.own, "own"]], other = shown.other ? [[shown.other, "other"]] : [];
  draw("own", over ? [...other, ...own] : own);
  if (!over && shown.other) draw("other", other);
}

function move(x, y) { view.x += x / view.zoom; view.y += y / view.zoom; drawAll(); }
function zoom(factor) { view.zoom = Math.max(0.3, Math.min(40, view.zoom * factor)); drawAll(); }
function showAll() { Object.assign(view, ALL); drawAll(); }

const KEYS = {
  ArrowLeft: () => move(STEP * reach(), 0), ArrowRight: () => move(-STEP * reach(), 0),
  ArrowUp: () => move(0, STEP * reach()), ArrowDown: () => move(0, -STEP * reach()),
  "+": () => zoom(ZOOM), "=": () => zoom(ZOOM), "-": () => zoom(1 / ZOOM), Home: showAll,
};

function drag(box, x, y) {
  if (inSpace()) {
    view.turn += TURN * x;
    view.tilt += TURN * y;
    return drawAll();
  }
  const unit = (view.zoom * box.querySelector("svg").viewBox.baseVal.width) / box.clientWidth;
  return move(-unit * x, -unit * y);
}

// What another release's page or table holds.
function parsed(text) {
  const page = new DOMParser().parseFromString(text, "text/html");
  const data = page.getElementById("release-data");
  if (data) return { ...JSON.parse(data.textContent), words: `${page.title} (${page.querySelector(".verdict strong").textContent})` };
  const rows = text.trim().split(/\r?\n/).slice(1).map((row) => row.split(",").slice(1).map(Number));
  if (rows.length < 3 || rows.some((row) => row.length !== shown.own.landmarks[0].length || !row.every(Number.isFinite))) throw new Error("no landmarks");
  const { closed, links, near, sliding } = shown.own;
  return { landmarks: rows, closed, links, near, sliding, landmark_noise: null, words: "The table" };
}

async function compare(file) {
  try {
    const other = parsed(await file.text());
    shown.other = { ...other, landmarks: standard(other.landmarks) };
    align();
  } catch (error) {
    shown.other = null;
    byId("other-words").textContent = `${file.name} is neither the page nor the table of a mean shape.`;
  }
  byId("arrangement").disabled = !shown.other;
  drawAll();
}

// The other one turned onto this one, and how far apart they are.
function align() {
  const { own, other } = shown, size = ({ landmarks }) => `${landmarks.length} landmarks of ${landmarks[0].length} coordinates`;
  if (size(other) !== size(own)) {
    byId("other-words").textContent = `${other.words}, dashed, has ${size(other)} and this one ${size(own)}: no distance.`;
    return;
  }
  const { points, distance } = aligned(other.landmarks, standard(own.landmarks));
  other.landmarks = points;
  byId("other-words").textContent = `${other.words}, dashed, turned onto this one: ${distance.toPrecision(3)} rad apart.`;
}

// What the sliders of a model move, and what shows that they have moved it.
const movable = () => moved;

function showMoved() {
  shown.own.landmarks = released.map((point, j) => point.map((_, axis) => moved[j * point.length + axis]));
  if (shown.other) align();
  drawAll();
}

function start() {
  shown.own = releaseData();
  released = shown.own.landmarks;
  moved = new Float64Array(released.flat());
  if (shown.own.landmark_noise) byId("noise-words").textContent = shown.own.landmark_noise.toPrecision(2);
  else byId("noise").disabled = true; // withheld: noise that is scaled to private data would tell of them
  byId("grid").disabled = inSpace() || !shown.own.grid_from;
  byId("grid-words").textContent = shown.own.model ? "from the mean" : "from the public center";
  byId("joined-words").hidden = !(shown.own.near || []).length;
  byId("slid-words").hidden = !(shown.own.sliding || []).length;
  for (const box of document.querySelectorAll("[data-viewer]")) {
    boxes[box.dataset.viewer] = box;
    listen(box, { keys: KEYS, step: ZOOM, zoom, drag: (x, y) => drag(box, x, y) });
    new ResizeObserver(drawAll).observe(box);
  }
  for (const id of [...PARTS, "arrangement"]) byId(id).addEventListener("change", drawAll);
  byId("noise").addEventListener("change", (event) => { byId("legend").hidden = !event.target.checked; });
  byId("all").addEventListener("click", showAll);
  byId("other").addEventListener("change", (event) => { if (event.target.files[0]) compare(event.target.files[0]); });
  for (const one of document.querySelectorAll(".controls, .hint")) one.hidden = false;
  drawAll();
}

start();
