"use strict";
// The slider of age: the mean face moves along the curve, and so does the mark on the chart of a distance's centiles.

function startGrowth() {
  const told = releaseData().growth, slider = byId("age"), level = byId("level"), measure = byId("measure");
  const reference = numbers(told.reference, Float32Array);
  const effects = told.effects.map((text) => numbers(text, Float32Array));
  const { ages } = told, step = ages[1] - ages[0], last = ages.length - 1;
  const SIZE = { left: 76, right: 70, top: 14, bottom: 40, width: 640, height: 300 };
  let growing = null;

  const chosen = () => (level ? +level.value : 0);
  // What the page is moved to, for whoever prints it without the slider.
  const place = () => `age ${(+slider.value).toFixed(1)}${level ? `, ${level.selectedOptions[0].textContent}` : ""}`;

  // [value, text] of round numbers within a range, about so many.
  function roundTicks(from, to, count) {
    const rough = (to - from || 1) / count, power = 10 ** Math.floor(Math.log10(rough));
    const gap = power * [1, 2, 5, 10].find((digit) => digit * power >= rough * 0.7), first = Math.ceil(from / gap - 1e-9);
    const digits = Math.max(0, -Math.floor(Math.log10(gap) + 1e-9));
    return Array.from({ length: Math.floor(to / gap + 1e-9) - first + 1 }, (_, i) => {
      const value = (first + i) * gap;
      return [value, value.toFixed(digits)];
    });
  }

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
    byId("growth-words").textContent = `The mean face at ${place()} is known to ${mm(at(told.known[which]))} (noise for privacy and `
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
    const back = [...lines.keys()].reverse().map((i) => `L${x(ages[i]).toFixed(1)} ${y(lines[i][1] - 2 * lines[i][2]).toFixed(1)}`);
    const middle = q.indexOf(0), here = x(+slider.value);
    byId("centiles").innerHTML = [
      `<path class="known" d="${path(([, value, known]) => value + 2 * known)}${back.join("")}Z"/>`,
      ...q.map((one, k) => `<path class="centile${k === middle ? " median" : ""}" d="${path(([, value, , sd]) => value + one * sd)}"/>`),
      ...q.map((one, k) => text(told.centiles[k], width - right + 6, y(lines[last][1] + one * lines[last][3]) + 4, "start")),
      ...roundTicks(ages[0], ages[last], 6).map(([age, words]) => text(words, x(age), height - bottom + 18, "middle")),
      ...roundTicks(low, high, 5).map(([value, words]) => text(words, left - 6, y(value) + 4, "end")),
      `<text transform="rotate(-90)" x="${-(top + height - bottom) / 2}" y="20" text-anchor="middle">${name} (${unit})</text>`,
      text("age", (left + width - right) / 2, height - 4, "middle"),
      `<line class="mark" x1="${here}" x2="${here}" y1="${top}" y2="${height - bottom}"/>`,
    ].join("");
    const value = at(lines.map((line) => line[1])), known = at(lines.map((line) => line[2])), sd = at(lines.map((line) => line[3]));
    const change = at(lines.map((line) => line[0]));
    byId("centiles-words").textContent = `${name} at ${place()}: median ${value.toFixed(1)} ${unit}, known to ${known.toPrecision(2)}; `
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
