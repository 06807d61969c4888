"use strict";
// Shows the histogram of the pixel under the pointer. The address may name a pixel: report.html#x=10&y=20.
(async () => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const panel = document.getElementById("pixel");
  const marks = document.querySelectorAll(".mark");
  const pictures = document.querySelectorAll(".picture");

  async function inflate(text) {
    const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  let bytes;
  try {
    bytes = await inflate(data.histogram);
  } catch (error) {
    panel.textContent = `The histograms in this file cannot be read: ${error}`;
    return;
  }

  let place = 0;
  function number() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[place++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  }
  // Where every pixel starts.
  const starts = new Uint32Array(data.columns * data.rows);
  for (let i = 0; i < starts.length; i++) {
    starts[i] = place;
    for (let n = bytes[place++]; n > 0; n--) {
      place++;
      number();
    }
    number();
  }

  // Counts of a kept pixel: [label, count], most frequent first, and how many samples were left out.
  function counts(column, row) {
    place = starts[row * data.columns + column];
    const entries = [];
    for (let n = bytes[place++]; n > 0; n--) {
      const label = bytes[place++];
      entries.push([label, number()]);
    }
    return { entries, rest: number() };
  }

  const share = (count, total) => `${((100 * count) / total).toFixed(1)}%`;
  const rounded = (value) => String(Number(value.toFixed(2))).replace("-", "−");
  const text = (x, y, kind, value) => `<text class="${kind}" x="${x}" y="${y}">${value}</text>`;

  // One bar a label, over the range of labels that were drawn and a little around it.
  function bars(entries, total) {
    const drawn = entries.map(([label]) => label);
    const wide = Math.max(12, Math.max(...drawn) - Math.min(...drawn) + 5);
    let from = Math.max(0, Math.round((Math.max(...drawn) + Math.min(...drawn)) / 2 - wide / 2));
    const to = Math.min(data.labels, from + wide);
    from = Math.max(0, Math.min(from, to - wide));
    const step = 350 / (to - from);
    const x = (label) => 40 + (label - from) * step;
    let svg = '<svg viewBox="0 0 400 210" role="img">';
    for (const part of [0, 0.5, 1]) {
      const y = 160 - 145 * part;
      svg += `<line class="grid" x1="40" x2="390" y1="${y}" y2="${y}"/>${text(34, y + 4, "y", `${100 * part}%`)}`;
    }
    for (const [label, count] of entries) {
      const high = (145 * count) / total;
      svg += `<rect x="${x(label) + step * 0.08}" width="${step * 0.84}" y="${160 - high}" height="${high}" ` +
        `fill="${data.colours[label]}"><title>${data.meanings[label]}: ${count}</title></rect>`;
    }
    const every = [1, 2, 5, 10, 20, 50, 100].find((n) => (to - from) / n <= 8);
    const value = (label) => (data.values ? data.values[label] : label);
    const whole = value(1) - value(0) === 1;
    for (let label = from; label < to; label++) {
      if ((whole ? value(label) : label) % every === 0) svg += text(x(label) + step / 2, 178, "x", rounded(value(label)));
    }
    return `${svg}${text(215, 202, "x", data.axis)}</svg>`;
  }

  // The window of motions: a cell a label, the darker the more frequent.
  function grid(entries) {
    const side = data.window;
    const cell = 240 / side;
    const most = entries[0][1];
    let svg = '<svg viewBox="0 0 400 290" role="img">';
    const found = new Map(entries);
    for (let label = 0; label < data.labels; label++) {
      const count = found.get(label) || 0;
      const [x, y] = [90 + (label % side) * cell, 10 + Math.floor(label / side) * cell];
      svg += `<rect class="grid" x="${x}" y="${y}" width="${cell}" height="${cell}" fill="var(--accent)" ` +
        `fill-opacity="${Math.sqrt(count / most)}"><title>${data.meanings[label]}: ${count}</title></rect>`;
    }
    const [x, y] = [90 + (entries[0][0] % side) * cell, 10 + Math.floor(entries[0][0] / side) * cell];
    svg += `<rect class="best" x="${x}" y="${y}" width="${cell}" height="${cell}" fill="none"/>`;
    const radius = (side - 1) / 2;
    for (const n of [-radius, 0, radius]) {
      const middle = (n + radius + 0.5) * cell;
      const value = rounded(n * data.pitch);
      svg += text(90 + middle, 266, "x", value) + text(82, 14 + middle, "y", value);
    }
    return `${svg}${text(210, 285, "x", data.axis)}</svg>`;
  }

  let pinned = null;
  let current = null;

  // Where the pixel of a label is in the picture that the labels are not of; outside it there is none.
  function match(x, y, label) {
    if (data.shift === null) return null;
    const radius = (data.window - 1) / 2;
    const [dx, dy] = data.window
      ? [((label % data.window) - radius) * data.pitch, (Math.floor(label / data.window) - radius) * data.pitch]
      : [data.values[label], 0];
    const place = [x + data.shift * dx, y + data.shift * dy];
    const inside = place[0] >= 0 && place[0] < data.width && place[1] >= 0 && place[1] < data.height;
    return inside ? place : null;
  }

  function show(x, y) {
    x = Math.min(data.width - 1, Math.max(0, x));
    y = Math.min(data.height - 1, Math.max(0, y));
    const [column, row] = [Math.floor(x / data.step), Math.floor(y / data.step)];
    [x, y] = [column * data.step, row * data.step];
    current = [x, y];
    const { entries, rest } = counts(column, row);
    const total = entries.reduce((sum, [, count]) => sum + count, rest);
    const [label, count] = entries[0];
    for (const mark of marks) {
      const other = ["first", "second"].includes(mark.closest("figure").id) && mark.closest("figure").id !== data.reference;
      const place = other ? match(x, y, label) : [x, y];
      mark.style.display = place ? "block" : "none";
      if (!place) continue;
      mark.style.left = `${(100 * (place[0] + 0.5)) / data.width}%`;
      mark.style.top = `${(100 * (place[1] + 0.5)) / data.height}%`;
    }
    const rows = entries.slice(0, 8).map(([label, count]) =>
      `<tr data-label="${label}" data-count="${count}"><td><i style="background:${data.colours[label]}"></i>` +
      `${data.meanings[label]}</td><td class="n">${count}</td><td class="n">${share(count, total)}</td></tr>`);
    const more = entries.slice(8).reduce((sum, [, count]) => sum + count, rest);
    if (more > 0) {
      rows.push(`<tr><td>others</td><td class="n">${more}</td><td class="n">${share(more, total)}</td></tr>`);
    }
    const picture = data.window ? grid(entries) : bars(entries, total);
    panel.innerHTML = `<h2>Pixel (${x}, ${y})${pinned ? "" : " — click to keep it"}</h2>` +
      `<p>${data.meanings[label]} in ${count} of ${total} samples, ${share(count, total)}.</p>${picture}` +
      `<table><tr><th>label</th><th class="n">samples</th><th class="n">share</th></tr>${rows.join("")}</table>`;
    panel.dataset.x = x;
    panel.dataset.y = y;
  }

  function pin(x, y) {
    pinned = [x, y];
    show(x, y);
    history.replaceState(null, "", `#x=${current[0]}&y=${current[1]}`);
  }

  function at(event, picture) {
    const box = picture.getBoundingClientRect();
    const [u, v] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    return [Math.floor(u * data.width), Math.floor(v * data.height)];
  }

  for (const picture of pictures) {
    picture.addEventListener("pointermove", (event) => {
      if (!pinned) show(...at(event, picture));
    });
    picture.addEventListener("click", (event) => {
      const [x, y] = at(event, picture);
      const again = pinned && Math.abs(pinned[0] - x) <= data.step && Math.abs(pinned[1] - y) <= data.step;
      // A click on the kept pixel lets it go.
      if (again) {
        pinned = null;
        show(x, y);
      } else {
        pin(x, y);
      }
    });
    picture.addEventListener("keydown", (event) => {
      const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
      const move = moves[event.key];
      if (!move || !current) return;
      event.preventDefault();
      pin(current[0] + move[0] * data.step, current[1] + move[1] * data.step);
    });
  }

  function fromAddress() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    if (!wanted.has("x") || !wanted.has("y")) return false;
    const [x, y] = [Number(wanted.get("x")), Number(wanted.get("y"))];
    if (!Number.isInteger(x) || !Number.isInteger(y)) return false;
    pinned = [x, y];
    show(x, y);
    return true;
  }
  window.addEventListener("hashchange", fromAddress);
  if (!fromAddress()) show(Math.floor(data.width / 2), Math.floor(data.height / 2));
  document.documentElement.dataset.ready = "yes";
})();
