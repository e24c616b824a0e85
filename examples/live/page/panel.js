// The words around the map.

const RACES = 3;
const by = (id) => document.getElementById(id);
const grouped = (number) => Math.round(number).toLocaleString("en-US");
const flight = (airports, [route, number]) =>
  `${airports[route & 0xffff]}-${airports[route >>> 16]}${number > 1 ? ` ${number}` : ""}`;

function duration(micros) {
  return micros < 1000 ? `${micros.toFixed(micros < 10 ? 1 : 0)} µs` : `${(micros / 1000).toFixed(1)} ms`;
}

function bytes(count) {
  return count < 1e6 ? `${(count / 1e3).toFixed(1)} kB/s` : `${(count / 1e6).toFixed(2)} MB/s`;
}

export function banner(text) {
  by("banner").hidden = text === null;
  by("banner").textContent = text ?? "";
  by("map").classList.toggle("lost", text !== null);
}

export function hint(text) {
  by("hint").textContent = text;
}

/** Opens or closes the tools on a small screen; without an argument, the other way round. */
export function menu(isOpen = !document.body.classList.contains("open")) {
  document.body.classList.toggle("open", isOpen);
  by("menu").setAttribute("aria-expanded", String(isOpen));
}

/** Says whether there is nothing at all in view. */
export function emptiness(isEmpty) {
  by("empty").hidden = !isEmpty;
}

export function head(mirror, listedMax) {
  const minute = Math.floor(mirror.minute);
  by("clock").textContent = [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, "0")).join(":");
  const crowd = mirror.crowds[0];
  by("airborne").textContent = crowd
    ? `${grouped(crowd.count)} aircraft in view, more than ${grouped(listedMax)}: zoom in to see each`
    : `${grouped(mirror.aircraft.count)} aircraft in view of ${grouped(mirror.airborne)} in the air`;
}

export function selection(selected) {
  by("selection").hidden = !selected;
  if (!selected) return;
  by("flight").textContent = selected.name;
  by("over").textContent = `over ${selected.over ?? "no county"}`;
  by("airport").textContent = selected.airport ? near(selected.airport) : "none";
  const items = selected.neighbors.map((neighbor) => {
    const item = document.createElement("li");
    item.textContent = near(neighbor);
    return item;
  });
  by("neighbors").replaceChildren(...items);
}

function near({ name, km }) {
  return `${name}, ${km < 10 ? km.toFixed(1) : grouped(km)} km`;
}

export function zone(isDrawn, mirror, airports) {
  by("zone").hidden = !isDrawn;
  if (!isDrawn) return;
  const { count, members, crowded, unfinished, came, gone, ticks } = mirror.zone;
  by("zone-count").textContent = `${grouped(count)} aircraft ${unfinished ? "found so far" : "in the zone"}`;
  const change = crowded ? "too many to name them" : `${grouped(came)} have come, ${grouped(gone)} have left`;
  const pace = ticks > 1 ? `; so many corners take ${(ticks / 10).toFixed(1)} s` : "";
  by("zone-flow").textContent = unfinished ? "The zone is being computed …" : change + pace;
  const names = [...members.values()].slice(0, 6).map((member) => flight(airports, member));
  const rest = count - names.length;
  by("zone-members").textContent = names.join(", ") + (names.length > 0 && rest > 0 ? ` and ${grouped(rest)} more` : "");
}

const races = [];

/** The cost of the frame, and that by other means: the middle of the last times. */
export function race({ questions, micros: last }) {
  races.push(last);
  if (races.length > RACES) races.shift();
  const micros = last.map((_, at) => races.map((times) => times[at]).sort((a, b) => a - b)[races.length >> 1]);
  by("cost").hidden = false;
  by("questions").textContent = grouped(questions);
  const most = Math.max(...micros);
  for (const [at, name] of ["own", "scan", "rebuilt"].entries()) {
    by(`${name}-time`).textContent = duration(micros[at]);
    by(`${name}-bar`).style.width = `${100 * micros[at] / most}%`;
  }
}

/** The corner: how long everything takes, and how much is sent. */
export function times({ server, selected, zoneIsDrawn, cellsAreShown, rate, draws, ticks }) {
  const rows = [["received", bytes(rate)], ["between ticks", `${ticks.toFixed(0)} ms`], ["drawing", `${draws.toFixed(1)} ms`]];
  if (server) {
    const views = server.views === 1 ? "1 view" : `${server.views} views`;
    rows.push(["all moves", duration(server.move)], ["whole tick", `${duration(server.tick)}, ${views}`]);
    ["aircraft", "airports", "counties", "states"].forEach((name, layer) => {
      if (server.view.layers[layer] > 0) rows.push([`watch ${name}`, duration(server.view.layers[layer])]);
    });
    if (zoneIsDrawn) rows.push(["watch zone", duration(server.view.zone)]);
    if (cellsAreShown) rows.push(["cells", duration(server.view.cells)]);
  }
  if (selected) {
    const names = ["nearest airport", "neighbors", "what is below"];
    selected.micros.forEach((micros, query) => rows.push([names[query], duration(micros)]));
  }
  by("times").replaceChildren(...rows.map((cells) => {
    const row = document.createElement("tr");
    row.append(...cells.map((text) => Object.assign(document.createElement("td"), { textContent: text })));
    return row;
  }));
}
