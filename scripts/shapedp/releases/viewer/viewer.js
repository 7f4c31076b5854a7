"use strict";
// The viewer of a release page: turn, zoom, light, triangles, curves, noise, and a second release beside it.

const FRONT = { yaw: 0, pitch: 0, zoom: 1 };
const THREE_QUARTER = { yaw: -0.75, pitch: 0.08, zoom: 1 };
const TURN = 0.01, STEP = 0.12, ZOOM = 1.1;
const LENS = 28, BARS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000], BAR_SHARE = 0.25;
const FINE = 2, MOVING = 0.5, REST = 400;  // samples a pixel each way at rest, where nothing has moved for so many ms, and before

const view = { ...FRONT };
const viewers = [];

class Viewer {
  constructor(box, data, range) {
    this.box = box;
    this.unit = data.unit;
    this.look = data.change ? "coloured" : "map";  // colours of a difference stand on clay, which takes light
    this.renderer = new THREE.WebGLRenderer({ alpha: true, preserveDrawingBuffer: true });
    this.scene = new THREE.Scene();
    const geometry = surface(data, range);
    geometry.computeBoundingSphere();
    this.sphere = geometry.boundingSphere;
    [this.fine, this.coarse] = [data.triangles, data.coarse || data.triangles].map(triangles);
    this.mesh = new THREE.Mesh(geometry);
    this.released = geometry.getAttribute("position").array.slice();
    this.draws = (data.draws || []).map((one) => numbers(one, Float32Array));
    this.edges = lines(geometry, 0.35);
    this.curves = lines(geometry, 0.55);
    this.curves.geometry.setIndex(alongCurves(data.rings));
    this.light = new THREE.DirectionalLight(0xffffff, SUN);
    this.scene.add(this.mesh, this.edges, this.curves, this.light, new THREE.HemisphereLight(0xffffff, GROUND, SKY));
    this.camera = new THREE.PerspectiveCamera(LENS, 1, 0.01, 100 * this.sphere.radius);
    this.scale = document.createElement("div");
    this.scale.className = "scale";
    box.append(this.renderer.domElement, this.scale);
    this.renderer.domElement.setAttribute("aria-hidden", "true");
    listen(box, { keys: KEYS, step: ZOOM, zoom, drag: (x, y) => turn(-x * TURN, y * TURN) });
    new ResizeObserver(() => this.draw()).observe(box);
  }

  become(index) {
    this.mesh.geometry.getAttribute("position").array.set(this.draws[index] || this.released);
    this.moved();
    this.draw();
  }

  // To be called when vertices have moved.
  moved() {
    this.mesh.geometry.getAttribute("position").needsUpdate = true;
    this.smoothed = null;
  }

  // Coarser while things move: without a graphics card a surface of 24,000 triangles takes a while.
  draw(moving = false) {
    const { clientWidth: width, clientHeight: height } = this.box;
    if (!width || !height) return;
    this.moving = moving;
    clearTimeout(this.rest);
    if (moving) this.rest = setTimeout(() => this.draw(), REST);
    this.fit(width, height, moving ? MOVING : FINE);
    this.dress(moving ? this.coarse : this.fine, moving ? QUICK : CAREFUL, byId("noise").checked ? this.look : "plain");
    this.edges.visible = byId("wireframe").checked;
    this.curves.visible = byId("curves").checked;
    const angle = (byId("light").value * Math.PI) / 180, { center, radius } = this.sphere;
    this.light.position.set(Math.sin(angle), 0.6, Math.cos(angle)).multiplyScalar(10 * radius);
    QUICK_SUN.copy(this.light.position).normalize();
    const away = (radius * 1.12) / Math.sin((LENS * Math.PI) / 360) / Math.min(1, width / height) / view.zoom;
    const across = Math.cos(view.pitch);
    this.camera.aspect = width / height;
    this.camera.position.set(Math.sin(view.yaw) * across, Math.sin(view.pitch), Math.cos(view.yaw) * across)
      .multiplyScalar(away).add(center);
    this.camera.lookAt(center);
    this.camera.updateProjectionMatrix();
    this.renderer.render(this.scene, this.camera);
    this.measure(height / (2 * away * Math.tan((LENS * Math.PI) / 360)), width);
  }

  // Normals of all triangles serve the few, not the other way round.
  dress(detail, materials, look) {
    const geometry = this.mesh.geometry;
    geometry.setIndex(detail.corners);
    this.edges.geometry.setIndex(detail.edges);
    this.mesh.material = materials[look];
    if (this.smoothed === this.fine || this.smoothed === detail) return;
    geometry.computeVertexNormals();
    this.smoothed = detail;
  }

  fit(width, height, ratio) {
    if (ratio !== this.renderer.getPixelRatio()) this.renderer.setPixelRatio(ratio);
    const size = this.renderer.getSize(new THREE.Vector2());
    if (size.x !== width || size.y !== height) this.renderer.setSize(width, height);
  }

  // The noise where the surface lies under a place on the screen; null beside it.
  noiseAt(clientX, clientY) {
    const { left, top, width, height } = this.renderer.domElement.getBoundingClientRect(), aim = new THREE.Raycaster();
    aim.setFromCamera(new THREE.Vector2((2 * (clientX - left)) / width - 1, 1 - (2 * (clientY - top)) / height), this.camera);
    const [hit] = aim.intersectObject(this.mesh, false);
    if (!hit) return null;
    const geometry = this.mesh.geometry, corners = [hit.face.a, hit.face.b, hit.face.c], share = new THREE.Vector3();
    const place = corners.map((k) => new THREE.Vector3().fromBufferAttribute(geometry.getAttribute("position"), k));
    THREE.Triangle.getBarycoord(this.mesh.worldToLocal(hit.point.clone()), ...place, share);
    return share.toArray().reduce((sum, part, i) => sum + part * geometry.userData.noise[corners[i]], 0);
  }

  // The bar is true in the plane through the middle of the surface; pixels: of one unit there.
  measure(pixels, width) {
    const length = BARS.filter((bar) => bar * pixels <= BAR_SHARE * width).pop() || BARS[0];
    this.scale.style.width = `${length * pixels}px`;
    this.scale.textContent = `${length} ${this.unit}`;
  }
}

// What the sliders of a model move, and what shows that they have moved it.
const movable = () => viewers[0]?.mesh.geometry.getAttribute("position").array;

function showMoved(moving) {
  viewers[0].moved();
  viewers[0].draw(moving);
}

// The map as a picture with its legend; ends: the words at both ends of it.
function mapPicture(viewer, ends) {
  viewer.draw();
  const drawn = viewer.renderer.domElement, picture = document.createElement("canvas"), context = picture.getContext("2d");
  const { width, height } = drawn, unit = height / 25, style = getComputedStyle(document.body);
  [picture.width, picture.height] = [width, height + 3 * unit];
  context.fillStyle = style.getPropertyValue("--paper");
  context.fillRect(0, 0, picture.width, picture.height);
  context.drawImage(drawn, 0, 0);
  const ramp = context.createLinearGradient(width / 4, 0, (3 * width) / 4, 0);
  STOPS.forEach((colour, i) => ramp.addColorStop(i / (STOPS.length - 1), colour));
  context.fillStyle = ramp;
  context.fillRect(width / 4, height + 0.5 * unit, width / 2, unit);
  context.fillStyle = style.getPropertyValue("--ink");
  context.font = `${Math.round(0.8 * unit)}px system-ui, sans-serif`;
  ends.forEach((words, i) => {
    context.textAlign = i ? "right" : "left";
    context.fillText(words, ((1 + 2 * i) * width) / 4, height + 2.6 * unit);
  });
  context.textAlign = "center";
  context.fillText("noise, one standard deviation", width / 2, height + 2.6 * unit);
  return picture.toDataURL("image/png");
}

function drawAll() { viewers.forEach((viewer) => viewer.draw()); }
function moveAll() { viewers.forEach((viewer) => viewer.draw(true)); }

function turn(yaw, pitch) {
  view.yaw += yaw;
  view.pitch = Math.max(-1.5, Math.min(1.5, view.pitch + pitch));
  moveAll();
}

function zoom(factor) {
  view.zoom = Math.max(0.3, Math.min(8, view.zoom * factor));
  moveAll();
}

function look(at) { Object.assign(view, at); drawAll(); }

const KEYS = {
  ArrowLeft: () => turn(STEP, 0), ArrowRight: () => turn(-STEP, 0), ArrowUp: () => turn(0, -STEP), ArrowDown: () => turn(0, STEP),
  "+": () => zoom(ZOOM), "=": () => zoom(ZOOM), "-": () => zoom(1 / ZOOM), Home: () => look(FRONT),
};

function show(name, data, range) {
  const box = document.querySelector(`[data-viewer="${name}"]`);
  const viewer = new Viewer(box, data, range);
  box.querySelector(".fallback")?.remove();
  viewers.push(viewer);
  viewer.draw();
}

async function beside(file, own) {
  const page = new DOMParser().parseFromString(await file.text(), "text/html");
  const words = byId("other-words");
  viewers.splice(1);
  document.querySelector('[data-viewer="other"]').replaceChildren();
  byId("view-other").hidden = false;
  try {
    show("other", JSON.parse(page.getElementById("release-data").textContent), own.noise_range);
    byId("other-caption").textContent = `${page.title}: ${page.querySelector(".verdict strong").textContent}`;
    words.textContent = "Both turn together, at the same scale.";
  } catch (error) {
    byId("view-other").hidden = true;
    words.textContent = `${file.name} is not the page of a mean face; choose the file index.html in the folder of a release.`;
  }
  drawAll();
}

function start() {
  const own = releaseData();
  const digits = (sd) => `${sd.toPrecision(2)} ${own.noise_unit || own.unit}`;
  const ends = own.noise_range ? own.noise_range.map(digits) : [];
  if (own.noise_range) [byId("noise-least").textContent, byId("noise-most").textContent] = ends;
  else {
    byId("noise").disabled = true;  // withheld: noise that is scaled to private data would tell of them
    own.noise_range = [0, 1];
  }
  try {
    show("own", own, own.noise_range);
  } catch (error) {
    for (const one of [document.querySelector(".controls"), byId("other-words")]) one.hidden = true;
    document.querySelector(".hint").textContent = "This browser has no WebGL; the picture above shows the same surface.";
    return;
  }
  own.draws.forEach((_, i) => byId("draw").add(new Option(`draw ${i + 1}`, i)));
  byId("draw").disabled = own.draws.length === 0;
  byId("draw").addEventListener("change", (event) => {
    viewers[0].become(Number(event.target.value));
    byId("draw-words").hidden = event.target.value === "-1";
  });
  for (const id of ["wireframe", "curves", "noise"]) byId(id).addEventListener("input", drawAll);
  byId("light").addEventListener("input", moveAll);
  byId("noise").addEventListener("input", (event) => { byId("legend").hidden = !event.target.checked; });
  byId("ramp").style.background = `linear-gradient(90deg, ${STOPS.join(", ")})`;
  viewers[0].box.addEventListener("pointermove", (event) => {
    if (!byId("noise").checked || event.buttons) return;
    const sd = viewers[0].noiseAt(event.clientX, event.clientY);
    byId("noise-here").textContent = `Under the pointer: ${sd === null ? "nothing" : digits(sd)}.`;
  });
  byId("save-map").addEventListener("click", () => {
    const link = Object.assign(document.createElement("a"), { href: mapPicture(viewers[0], ends), download: "noise_map.png" });
    link.click();
  });
  byId("front").addEventListener("click", () => look(FRONT));
  byId("side").addEventListener("click", () => look(THREE_QUARTER));
  byId("other").addEventListener("change", (event) => { if (event.target.files[0]) beside(event.target.files[0], own); });
}

start();
