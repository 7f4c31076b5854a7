"use strict";
// What the viewer of a surface draws: all of its triangles or fewer, lit carefully or quickly, its edges and its curves.

const CLAY = 0xcbb9a8, INK = 0x2b3a55, HEAT = [0xfdf6d8, 0xe8a13a, 0x7a1f5c];
const SUN = 0.85, SKY = 0.5, GROUND = 0x8a8f99;
const QUICK_SUN = new THREE.Vector3();  // direction of the light, for the quick materials

function heat(share) {
  const [low, middle, high] = HEAT.map((colour) => new THREE.Color(colour));
  return share < 0.5 ? low.lerp(middle, 2 * share) : middle.lerp(high, 2 * share - 1);
}

// The same as the stops of a legend: what stands on the surface stands on it.
const STOPS = Array.from({ length: 21 }, (_, i) => `#${heat(i / 20).getHexString()}`);

function surface(data, range) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(numbers(data.vertices, Float32Array), 3));
  const noise = numbers(data.noise, Float32Array);
  const colours = new Float32Array(3 * noise.length);
  noise.forEach((sd, i) => heat((sd - range[0]) / (range[1] - range[0] || 1)).toArray(colours, 3 * i));
  geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
  geometry.userData.noise = noise;
  return geometry;
}

// Corners of triangles, and each of their edges once.
function triangles(text) {
  const corners = numbers(text, Uint32Array), most = 1 + corners.reduce((a, b) => Math.max(a, b)), edges = new Set();
  corners.forEach((one, at) => {
    const next = corners[at % 3 === 2 ? at - 2 : at + 1];
    edges.add(Math.min(one, next) * most + Math.max(one, next));
  });
  const ends = [...edges].flatMap((edge) => [Math.floor(edge / most), edge % most]);
  return { corners: new THREE.BufferAttribute(corners, 1), edges: new THREE.BufferAttribute(new Uint32Array(ends), 1) };
}

function alongCurves(rings) {
  const ends = [];
  let first = 1;
  for (const count of rings) {
    for (let k = 0; k < count; k++) ends.push(first + k, first + ((k + 1) % count));
    first += count;
  }
  return ends;
}

// Lines between vertices of a surface, which move with it.
function lines(of, opacity) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", of.getAttribute("position"));
  return new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: INK, transparent: true, opacity }));
}

// A surface is seen from both sides and lies a little behind its lines.
const SIDES = { side: THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 };

// The same light, at the vertices instead of at each pixel: a third of the time where no graphics card helps.
function quick(coloured) {
  return new THREE.ShaderMaterial({
    ...SIDES,
    vertexColors: coloured,
    uniforms: {
      sun: { value: QUICK_SUN }, ground: { value: new THREE.Color(GROUND) }, clay: { value: new THREE.Color(CLAY) },
    },
    vertexShader: `
      uniform vec3 sun, ground, clay;
      varying vec3 seen;
      void main() {
        vec3 outward = faceforward(normal, position - cameraPosition, normal);
        vec3 light = mix(ground, vec3(1.0), 0.5 * outward.y + 0.5) * ${SKY.toFixed(2)} + max(dot(outward, sun), 0.0) * ${SUN.toFixed(2)};
        seen = light * ${coloured ? "color" : "clay"};
        gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
      }`,
    fragmentShader: "varying vec3 seen; void main() { gl_FragColor = vec4(seen, 1.0); }",
  });
}

// A map of values is not lit: a shadow would be another value.
const MAP = new THREE.MeshBasicMaterial({ ...SIDES, vertexColors: true });
const CAREFUL = {
  map: MAP,
  plain: new THREE.MeshLambertMaterial({ ...SIDES, color: CLAY }),
  coloured: new THREE.MeshLambertMaterial({ ...SIDES, vertexColors: true }),
};
const QUICK = { map: MAP, plain: quick(false), coloured: quick(true) };
