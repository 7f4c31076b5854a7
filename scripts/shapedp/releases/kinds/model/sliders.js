"use strict";
// Sliders of a model of faces or shapes: the mean at chosen covariates, moved along modes, and the band of its noise.

function startModel() {
  const model = releaseData().model;
  const fields = { effects: model.effects, modes: model.modes };
  for (const kind in fields) fields[kind] = fields[kind].map((text) => numbers(text, Float32Array));
  const covariates = model.covariates.map((one, index) => ({ ...one, slider: byId(`covariate-${index + 1}`) }));
  const modes = fields.modes.map((field, index) => ({ field, slider: byId(`mode-${index + 1}`) }));
  const stands = document.querySelector("#view-own figcaption").appendChild(document.createElement("span"));
  stands.id = "stands";
  stands.setAttribute("role", "status");
  let opened = true;  // as people are on average, to the last digit

  function contrast() {
    if (opened) return model.average;
    return [1, ...covariates.map((one) => (one.levels.length ? +one.slider.value : (one.slider.value - one.middle) / one.reach))];
  }

  function move(moving) {
    const z = contrast(), positions = movable();
    if (positions) {
      positions.fill(0);
      const add = (field, weight) => { if (weight) for (let i = 0; i < positions.length; i++) positions[i] += weight * field[i]; };
      fields.effects.forEach((field, index) => add(field, z[index]));
      modes.forEach(({ field, slider }) => add(field, +slider.value));
      showMoved(moving);
    }
    tell(z);
  }

  function band(z) {
    const times = (matrix, vector) => matrix.map((row) => row.reduce((sum, one, i) => sum + one * vector[i], 0));
    const dot = (a, b) => a.reduce((sum, one, i) => sum + one * b[i], 0);
    const away = z.map((one, k) => (k ? one - z[0] * model.average[k] : one));
    const length = (parts) => Math.sqrt(Math.max(dot(away, times(parts, away)), 0));
    if (model.chance) return { noise: length(model.noise), sampling: length(model.chance) };
    const g = times(model.inverse, z), square = dot(g, g), s2 = model.s2 ** 2;
    let noise = dot(away, times(model.noise, away));
    model.gram.forEach((row, a) => row.forEach((one, b) => {
      noise += one * (s2 / 2 * ((a === b ? square : 0) + g[a] * g[b]) - (a === 0 && b === 0 ? s2 * g[0] ** 2 : 0));
    }));
    return { noise: Math.sqrt(Math.max(noise, 0)), sampling: Math.sqrt(Math.max(dot(z, g) * model.residual, 0)) };
  }

  // A level at either end; between them, how many of the second there are.
  function level(levels, value) {
    return Math.abs(value) > 0.99 ? levels[value > 0 ? 1 : 0] : `${Math.round(50 * (1 + value))} % ${levels[1]}`;
  }

  function tell(z) {
    const { noise, sampling } = band(z), digits = (length) => `${length.toPrecision(2)} ${model.length}`;
    const say = (output, words) => { if (output.textContent !== words) output.textContent = words; };  // laying words out takes time
    say(byId("band"), `${digits(Math.hypot(noise, sampling))} (noise ${digits(noise)}, chance ${digits(sampling)})`);
    for (const one of covariates) {
      const words = one.levels.length ? level(one.levels, +one.slider.value) : (+one.slider.value).toPrecision(3);
      say(one.slider.nextElementSibling, opened ? "average" : words);
    }
    for (const { slider } of modes) say(slider.nextElementSibling, `${(+slider.value).toFixed(1)} sd`);
    const where = ({ slider }) => `${slider.parentElement.firstChild.textContent.trim()} ${slider.nextElementSibling.textContent}`;
    const moved = modes.filter(({ slider }) => +slider.value !== 0), at = opened ? [] : covariates;
    say(stands, ` Shown: ${[at.length ? `the mean at ${at.map(where).join(", ")}` : "everybody's mean", ...moved.map(where)].join("; ")}.`);
  }

  const form = byId("sliders");
  form.addEventListener("input", (event) => { opened = opened && event.target.id.startsWith("mode-"); move(true); });
  byId("to-mean").addEventListener("click", () => { form.reset(); opened = true; move(false); });
  move(false);
}

startModel();
