"use strict";
// The slider of age: the mean face moves along the curve, and so does the mark on the chart of a distance's centiles.

function startGrowth() {
  const told = releaseData().growth, slider = byId("age"), level = byId("level"), measure = byId("measure");
  const reference = numbers(told.reference, Float32Array);
  const effects = told.effects.map((text) => numbers(text, Float32Array));
  const { ages } = told, step = ages[1] - ages[0], last = ages.length - 1;
  const SIZE = { left: 56, right: 70, top: 14, bottom: 40, width: 640, height: 300 };
  let growing = null;

  const chosen = () => (level ? +level.value : 0);
  // Between two ages of the table, in proportion.
  function at(table, mix = (a, b, t) => a + t * (b - a)) {
    const place = Math.max(0, Math.min(last, (slider.value - ages[0]) / step)), k = Math.min(Math.floor(place), last - 1);
    return mix(table[k], table[k + 1], place - k);
  }

  function move(moving) {
    const positions = movable();
    if (positions) {
      const z = at(told.z[chosen()], (a, b, t) => a.map((one, i) => one + t * (b[i] - one)));
      positions.set(reference);
      effects.forEach((field, j) => { for (let i = 0; i < positions.length; i++) positions[i] += z[j] * field[i]; });
      showMoved(moving);
    }
    tell();
    chart();
  }

  function tell() {
    const mm = (value) => `${value.toPrecision(2)} mm`, which = chosen();
    byId("age-words").textContent = (+slider.value).toFixed(1);
    byId("growth-words").textContent = `The mean face here is known to ${mm(at(told.known[which]))} (noise for privacy and `
      + `chance, root mean square at a point); it changes by ${mm(at(told.velocity[which]))} a year; a person lies `
      + `${mm(at(told.apart))} from it.`;
  }

  function chart() {
    if (!measure) return;
    const lines = told.charts[+measure.value][chosen()], [name, unit] = told.measures[+measure.value];
    const { left, right, top, bottom, width, height } = SIZE, q = told.quantiles;
    const every = told.charts[+measure.value].flat();
    const low = Math.min(...every.map(([, value, , sd]) => value + q[0] * sd));
    const high = Math.max(...every.map(([, value, , sd]) => value + q[q.length - 1] * sd));
    const x = (age) => left + (age - ages[0]) / (ages[last] - ages[0]) * (width - left - right);
    const y = (value) => height - bottom - (value - low) / (high - low) * (height - top - bottom);
    const path = (of) => lines.map((line, i) => `${i ? "L" : "M"}${x(ages[i]).toFixed(1)} ${y(of(line)).toFixed(1)}`).join("");
    const text = (words, px, py, anchor) => `<text x="${px}" y="${py}" text-anchor="${anchor}">${words}</text>`;
    const ticks = (from, to, count) => Array.from({ length: count }, (_, i) => from + (to - from) * i / (count - 1));
    const back = [...lines.keys()].reverse().map((i) => `L${x(ages[i]).toFixed(1)} ${y(lines[i][1] - 2 * lines[i][2]).toFixed(1)}`);
    const middle = q.indexOf(0), here = x(+slider.value);
    byId("centiles").innerHTML = [
      `<path class="known" d="${path(([, value, known]) => value + 2 * known)}${back.join("")}Z"/>`,
      ...q.map((one, k) => `<path class="centile${k === middle ? " median" : ""}" d="${path(([, value, , sd]) => value + one * sd)}"/>`),
      ...q.map((one, k) => text(told.centiles[k], width - right + 6, y(lines[last][1] + one * lines[last][3]) + 4, "start")),
      ...ticks(ages[0], ages[last], 6).map((age) => text(age.toFixed(0), x(age), height - bottom + 18, "middle")),
      ...ticks(low, high, 5).map((value) => text(value.toPrecision(3), left - 6, y(value) + 4, "end")),
      text("age", (left + width - right) / 2, height - 4, "middle"),
      `<line class="mark" x1="${here}" x2="${here}" y1="${top}" y2="${height - bottom}"/>`,
    ].join("");
    const value = at(lines.map((line) => line[1])), known = at(lines.map((line) => line[2])), sd = at(lines.map((line) => line[3]));
    const change = at(lines.map((line) => line[0]));
    byId("centiles-words").textContent = `${name}: median ${value.toFixed(1)} ${unit}, known to ${known.toPrecision(2)}; `
      + `3rd to 97th centile ${(value + q[0] * sd).toFixed(1)} to ${(value + q[q.length - 1] * sd).toFixed(1)}; `
      + `${change < 0 ? "" : "+"}${change.toPrecision(2)} ${unit} a year.`;
  }

  function grow() {
    if (growing) { clearInterval(growing); growing = null; move(false); return; }
    if (+slider.value >= ages[last]) slider.value = ages[0];
    growing = setInterval(() => {
      slider.value = Math.min(ages[last], +slider.value + (ages[last] - ages[0]) / 150);
      move(true);
      if (+slider.value >= ages[last]) grow();
    }, 40);
  }

  slider.addEventListener("input", () => move(true));
  slider.addEventListener("change", () => move(false));
  if (level) level.addEventListener("input", () => move(false));
  if (measure) measure.addEventListener("input", chart);
  byId("grow").addEventListener("click", grow);
  move(false);
}

startGrowth();
