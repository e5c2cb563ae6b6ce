// Pages work without this script. With it they follow what happens elsewhere, keep what is being typed, and say
// "3 minutes ago".

// Code changes rarely and costs several git processes to show, so those pages ask less often.
const pollMs = Number(document.getElementById("live").dataset.poll);
let seenTag = null;
let sending = 0;

/** Fetches this page again; the server answers 304 unless something on it has changed. */
async function refresh() {
  if (document.hidden || sending > 0) return;
  const headers = seenTag === null ? {} : { "if-none-match": seenTag };
  const response = await fetch(location.href, { headers, cache: "no-store" });
  document.body.classList.remove("offline");
  if (response.status === 304 || sending > 0) return;
  if (!response.ok) return;
  seenTag = response.headers.get("etag");
  show(parse(await response.text()));
}

function parse(text) {
  return new DOMParser().parseFromString(text, "text/html");
}

function show(page) {
  const next = page.getElementById("live");
  if (next === null) return;
  for (const flash of next.querySelectorAll(".flash")) flash.remove();
  morph(document.getElementById("live"), next);
  if (document.title !== page.title) document.title = page.title;
  tellTimes();
}

/** Makes `from` look like `to` and leaves alone what people did: typed text, opened menus, focus. */
function morph(from, to) {
  if (from.nodeType === Node.TEXT_NODE) {
    if (from.data !== to.data) from.data = to.data;
    return;
  }
  if (from.nodeType !== Node.ELEMENT_NODE || from.isEqualNode(to)) return;
  for (const { name, value } of [...to.attributes]) {
    if (from.getAttribute(name) !== value && !isPersonal(from, name)) from.setAttribute(name, value);
  }
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name) && !isPersonal(from, name)) from.removeAttribute(name);
  }
  morphChildren(from, to);
}

function isPersonal(element, attribute) {
  return element.nodeName === "DETAILS" && attribute === "open";
}

/** Elements with an id are found again wherever they went; others are matched one by one. */
function morphChildren(from, to) {
  const known = new Map(
    [...from.children].filter((child) => child.id !== "").map((child) => [child.id, child]),
  );
  const wanted = new Set([...to.children].map((child) => child.id));
  let here = from.firstChild;
  for (const next of [...to.childNodes]) {
    const match = next.id ? known.get(next.id) : looksLike(here, next) ? here : undefined;
    if (match === undefined || match.nodeName !== next.nodeName) {
      from.insertBefore(document.importNode(next, true), here);
      continue;
    }
    // What stands in between and is no longer wanted goes, so that the match need not move and lose its focus.
    while (here !== null && here !== match && !(here.id && wanted.has(here.id))) {
      const gone = here;
      here = here.nextSibling;
      gone.remove();
    }
    if (match === here) here = here.nextSibling;
    else from.insertBefore(match, here);
    morph(match, next);
  }
  while (here !== null) {
    const gone = here;
    here = here.nextSibling;
    gone.remove();
  }
}

function looksLike(here, next) {
  return here !== null && here.nodeType === next.nodeType && here.nodeName === next.nodeName && !here.id;
}

/** Sends a form without leaving the page, so that text in other boxes stays. */
async function submit(form, submitter) {
  const body = new URLSearchParams(new FormData(form, submitter));
  sending += 1;
  submitter?.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(form.action, { method: "POST", body });
    const page = parse(await response.text());
    const flash = page.querySelector(".flash");
    if (flash !== null) toast(flash);
    if (!response.ok) return;
    form.reset();
    if (!form.hasAttribute("data-keep-open")) form.closest("details.menu")?.removeAttribute("open");
    for (const menu of form.querySelectorAll("details.menu[open]")) menu.removeAttribute("open");
    if (new URL(response.url).pathname !== location.pathname) location.assign(response.url);
    else {
      seenTag = null;
      show(page);
    }
  } catch {
    toast(messageBox("The playground does not answer. Your text is still here: try again."));
  } finally {
    sending -= 1;
    submitter?.removeAttribute("aria-busy");
  }
}

function messageBox(text) {
  const box = document.createElement("div");
  box.className = "flash bad";
  box.setAttribute("role", "alert");
  box.textContent = text;
  return box;
}

function toast(message) {
  for (const old of document.querySelectorAll(".toast")) old.remove();
  const box = document.importNode(message, true);
  box.classList.add("toast");
  document.body.append(box);
  setTimeout(() => box.remove(), 8000);
}

const UNITS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

function tellTimes() {
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  for (const time of document.querySelectorAll("time")) {
    const seconds = (Date.now() - Date.parse(time.dateTime)) / 1000;
    const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? ["second", 1];
    const text = seconds < 45 ? "just now" : words.format(-Math.round(seconds / size), unit);
    if (time.textContent !== text) time.textContent = text;
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || form.closest("#live") === null) return;
  event.preventDefault();
  submit(form, event.submitter);
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") closeMenus(null);
  const writes =
    event.target.nodeName === "TEXTAREA" && event.key === "Enter" && (event.ctrlKey || event.metaKey);
  if (writes) event.target.form?.querySelector("button.primary")?.click();
});

document.addEventListener("click", (event) => closeMenus(event.target));

function closeMenus(inside) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (inside === null || !menu.contains(inside)) menu.removeAttribute("open");
  }
}

async function poll() {
  try {
    await refresh();
  } catch {
    document.body.classList.add("offline");
  }
  setTimeout(poll, pollMs);
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) refresh().catch(() => document.body.classList.add("offline"));
});
tellTimes();
setInterval(tellTimes, 30_000);
// A page that says "not found" would only say it again.
if (document.querySelector("#main > .flash.bad") === null) setTimeout(poll, pollMs);
