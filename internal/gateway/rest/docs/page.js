"use strict";
const el = (tag, props, ...children) => {
  const node = Object.assign(document.createElement(tag), props);
  node.append(...children.filter((c) => c !== null && c !== undefined));
  return node;
};
const text = (value) => document.createTextNode(value);

// kind writes the type of a schema in few words, with links to named ones.
function kind(s) {
  if (!s || Object.keys(s).length === 0) return [text("any")];
  if (s.$ref) {
    const name = s.$ref.split("/").pop();
    return [el("a", { href: "#schema-" + name }, name)];
  }
  for (const many of ["oneOf", "anyOf"]) {
    if (s[many]) return s[many].flatMap((o, i) => (i ? [text(" or "), ...kind(o)] : kind(o)));
  }
  const types = [].concat(s.type || "any");
  if (types.includes("array")) return [text("list of "), ...kind(s.items)];
  let words = types.join(" or ");
  if (s.format) words += " (" + s.format + ")";
  return [text(words)];
}

function notes(s) {
  const out = [];
  if (s.description) out.push(s.description);
  if (s.enum) out.push("One of " + s.enum.join(", ") + ".");
  if (s.default !== undefined) out.push("Default " + JSON.stringify(s.default) + ".");
  if (s.minimum !== undefined) out.push("At least " + s.minimum + ".");
  if (s.maximum !== undefined) out.push("At most " + s.maximum + ".");
  if (s.maxLength !== undefined) out.push("At most " + s.maxLength + " characters.");
  return out.join(" ");
}

function table(heads, rows) {
  return el("div", { className: "wide" }, el("table", {},
    el("thead", {}, el("tr", {}, ...heads.map((h) => el("th", {}, h)))),
    el("tbody", {}, ...rows.map((cells) => el("tr", {}, ...cells.map((c) => el("td", {}, ...[].concat(c))))))));
}

function properties(s) {
  const required = s.required || [];
  const rows = Object.entries(s.properties || {}).map(([name, p]) => [
    [el("code", {}, name), required.includes(name) ? null : el("span", { className: "soft" }, " optional")],
    kind(p), notes(p),
  ]);
  return rows.length ? table(["field", "type", ""], rows) : el("p", {}, ...kind(s));
}

function content(types) {
  return Object.entries(types || {}).map(([type, media]) => {
    const s = media.schema;
    const line = el("p", {}, el("code", {}, type), " ", ...kind(s));
    return s && s.properties ? el("div", {}, line, properties(s)) : line;
  });
}

function operation(path, method, op) {
  const node = el("article", { id: op.operationId },
    el("h3", {}, el("span", { className: "method " + method }, method.toUpperCase()), el("span", { className: "path" }, path)),
    el("p", {}, el("strong", {}, op.summary || "")),
    op.description ? el("p", {}, op.description) : null);
  if (op.parameters) {
    node.append(el("h4", {}, "Parameters"), table(["name", "in", "type", ""], op.parameters.map((p) => [
      [el("code", {}, p.name), p.required ? null : el("span", { className: "soft" }, " optional")],
      p.in, kind(p.schema), notes({ ...p.schema, description: p.description }),
    ])));
  }
  if (op.requestBody) node.append(el("h4", {}, "Body"), ...content(op.requestBody.content));
  const answers = Object.entries(op.responses || {}).sort();
  for (const [status, r] of answers.filter(([s]) => s < "300")) {
    node.append(el("h4", {}, "Answer " + status), ...content(r.content));
  }
  node.append(el("h4", {}, "Errors"), table(["HTTP", "code"], answers.filter(([s]) => s >= "300").map(([status, r]) =>
    [status, el("span", { className: "lines" }, r.description)])));
  return node;
}

function draw(api) {
  document.getElementById("title").textContent = api.info.title + " API " + api.info.version;
  document.getElementById("about").textContent = api.info.description || "";
  const nav = document.getElementById("nav");
  const calls = document.getElementById("calls");
  const byTag = new Map((api.tags || []).map((t) => [t.name, []]));
  for (const [path, item] of Object.entries(api.paths)) {
    for (const method of ["get", "post", "put", "patch", "delete"]) {
      const op = item[method];
      if (!op) continue;
      const tag = (op.tags || ["other"])[0];
      if (!byTag.has(tag)) byTag.set(tag, []);
      byTag.get(tag).push([path, method, op]);
    }
  }
  for (const [tag, ops] of byTag) {
    nav.append(el("h2", {}, tag));
    calls.append(el("h2", {}, tag));
    for (const [path, method, op] of ops) {
      nav.append(el("a", { href: "#" + op.operationId, title: path },
        el("span", { className: "method " + method }, method.toUpperCase()), op.summary));
      calls.append(operation(path, method, op));
    }
  }
  nav.append(el("h2", {}, "More"), el("a", { href: "#errors" }, "Errors"), el("a", { href: "#schemas" }, "Schemas"));
  const schemas = document.getElementById("schemas");
  for (const [name, s] of Object.entries(api.components.schemas).sort()) {
    schemas.append(el("details", { id: "schema-" + name }, el("summary", {}, name),
      s.description ? el("p", {}, s.description) : null, properties(s)));
  }
}

// open shows the schema that a link leads to.
function open() {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (!target) return;
  if (target.tagName === "DETAILS") target.open = true;
  target.scrollIntoView();
}

fetch("/openapi.json").then((r) => {
  if (!r.ok) throw new Error("the server answered " + r.status);
  return r.json();
}).then(draw).then(open).catch((e) => {
  const trouble = document.getElementById("trouble");
  trouble.hidden = false;
  trouble.textContent = "The description could not be read: " + e.message;
});
window.addEventListener("hashchange", open);
