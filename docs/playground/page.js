// The page: an editor, and what `manifest` says of its text. Python runs in worker.js.

import { defaultKeymap, history, historyKeymap, invertedEffects, isolateHistory, redo, undo } from "@codemirror/commands"
import { json } from "@codemirror/lang-json"
import { yaml } from "@codemirror/lang-yaml"
import { HighlightStyle, bracketMatching, indentOnInput, syntaxHighlighting } from "@codemirror/language"
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint"
import { Compartment, EditorState } from "@codemirror/state"
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view"
import { tags } from "@lezer/highlight"

const at = id => document.getElementById(id)
const FORMATS = ["full", "concise", "json", "github", "sarif", "gitlab", "junit", "markdown", "html"]
const MOST_SHARED = 1_000_000 // characters that a link may unpack to
const MOST_SHOWN = 200 // findings
const PROFILE = "profile.schema.json"
const KEPT = "playground" // the name of what the tab keeps when the page is loaded again
const examples = await (await fetch("examples.json")).json()

// -- the worker ------------------------------------------------------------------------------------

const waiting = new Map()
let worker = null
let isReady = false
let asked = 0
let notice = null // what is said instead of a verdict, until the text changes
let linked = null // what the link in the address leads to, in JSON, until it changes

function say(text, isError = false) {
  at("status").textContent = text
  at("status").className = isError ? "error" : ""
}

function keep(...said) {
  notice = said
  say(...said)
}

function fail(reason) {
  say(`The checker cannot run in this browser (${reason}). On your machine: pip install manifestkit, then manifest lint.`, true)
  document.body.dataset.state = "failed"
}

function startWorker() {
  if (typeof WebAssembly === "undefined") return fail("it has no WebAssembly")
  worker = new Worker("worker.js", { type: "module" })
  worker.onerror = event => fail(event.message || "the worker does not start")
  worker.onmessage = ({ data }) => {
    if (document.body.dataset.state === "failed") return
    if (data.progress) say(`Loading Python and its packages, once: ${(data.progress / 1e6).toFixed(1)} MB. You can write already.`)
    else if (data.failed) fail(data.failed)
    else if (data.ready) {
      isReady = true
      check()
    } else {
      waiting.get(data.id)?.(data.result)
      waiting.delete(data.id)
    }
  }
}

function manifest(args, files) {
  const id = ++asked
  worker.postMessage({ id, job: { arguments: args, files } })
  return new Promise(resolve => waiting.set(id, resolve))
}

// -- the text --------------------------------------------------------------------------------------

const syntax = new Compartment()
const languages = { json: json(), yaml: yaml() }
let loaded = { shown: null, text: "", bytes: null } // what was opened, until it is changed: the editor knows LF only

const highlighting = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--name)" },
  { tag: [tags.string, tags.content], color: "var(--string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: "var(--value)" },
  { tag: tags.comment, color: "var(--quiet)", fontStyle: "italic" },
])
const theme = EditorView.theme({
  "&": { height: "70vh", minHeight: "20rem", fontSize: "14px", color: "var(--ink)", background: "var(--ground)" },
  ".cm-scroller": { fontFamily: "ui-monospace, monospace" },
  ".cm-gutters": { background: "var(--raised)", color: "var(--quiet)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine, .cm-activeLineGutter": { background: "color-mix(in srgb, var(--link) 8%, transparent)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { background: "color-mix(in srgb, var(--link) 30%, transparent) !important" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-tooltip": { background: "var(--raised)", color: "var(--ink)", border: "1px solid var(--line)", maxWidth: "min(40rem, 90vw)" },
  ".cm-diagnosticAction": { background: "var(--link)", color: "var(--ground)" },
})
const shadow = at("editor").attachShadow({ mode: "open" }) // its styles need no inline style sheet
const view = new EditorView({
  root: shadow,
  parent: shadow,
  state: EditorState.create({
    extensions: [
      [lineNumbers(), history(), drawSelection(), highlightActiveLine(), indentOnInput(), bracketMatching()],
      [syntaxHighlighting(highlighting), theme, lintGutter(), EditorView.lineWrapping, syntax.of(languages.json)],
      keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
      EditorView.contentAttributes.of({ "aria-label": "Manifest text", tabindex: "0" }),
      invertedEffects.of(step => (step.docChanged ? [syntax.reconfigure(syntax.get(step.startState))] : [])), // undo restores it
      EditorView.updateListener.of(update => {
        const isYaml = syntax.get(update.state) === languages.yaml
        at("syntax").value = isYaml ? "yaml" : "json"
        at("convert").textContent = isYaml ? "Convert to JSON" : "Convert to YAML"
        if (update.docChanged) changedText()
      }),
    ],
  }),
})

const shownText = () => view.state.doc.toString()
const text = () => (shownText() === loaded.shown ? loaded.text : shownText())
const name = () => `manifest.${at("syntax").value}`

/** Replace the text, and its syntax, in one step that can be undone. */
function setText(made, wanted = at("syntax").value, bytes = null) {
  const old = shownText()
  const shown = made.replace(/\r\n?/g, "\n")
  let start = 0
  while (start < old.length && old[start] === shown[start]) start++
  let end = 0
  while (end < Math.min(old.length, shown.length) - start && old.at(-1 - end) === shown.at(-1 - end)) end++
  view.dispatch({
    changes: { from: start, to: old.length - end, insert: shown.slice(start, shown.length - end) },
    effects: syntax.reconfigure(languages[wanted]),
    annotations: isolateHistory.of("full"),
  })
  loaded = { shown: shownText(), text: made, bytes }
  changedText()
}

// -- what is found ---------------------------------------------------------------------------------

const profileFile = () => (at("profile").value.trim() ? { [PROFILE]: at("profile").value } : {})
const profileOption = () => (at("profile").value.trim() ? ["--profile", PROFILE] : [])
const base64 = bytes => btoa(Array.from(bytes, each => String.fromCharCode(each)).join(""))
const source = () => (loaded.bytes && shownText() === loaded.shown ? { base64: base64(loaded.bytes) } : text())
const own = () => ({ [name()]: source(), ...profileFile() })

/** The text with some edits, whose offsets count code points. */
function edited(source, edits) {
  const characters = [...source]
  for (const { start, end, text: more } of [...edits].sort((a, b) => b.start - a.start)) characters.splice(start, end - start, more)
  return characters.join("")
}

function offset(line, column) {
  const found = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines))
  return Math.min(found.from + [...found.text].slice(0, column - 1).join("").length, found.to)
}

function element(tag, content, attributes = {}) {
  const made = Object.assign(document.createElement(tag), attributes)
  made.append(...[content].flat())
  return made
}

function apply(fix) {
  setText(edited(text(), fix.edits))
  view.focus()
}

function show(findings) {
  const items = findings.slice(0, MOST_SHOWN).map(each => {
    const place = element("button", `line ${each.line}, column ${each.column}`, { className: "place" })
    place.onclick = () => {
      view.dispatch({ selection: { anchor: offset(each.line, each.column) }, scrollIntoView: true })
      view.focus()
    }
    const fixes = each.fixes.map(fix =>
      element("button", `Fix: ${fix.message}`, { className: "apply", onclick: () => apply(fix) })
    )
    const severity = element("strong", each.severity, { className: each.severity })
    const help = each.help ? [element("p", each.help, { className: "help" })] : []
    return element("li", [element("p", [severity, " ", place]), element("p", each.message), ...help, ...fixes], { className: each.severity })
  })
  if (findings.length > MOST_SHOWN) items.push(element("li", `${findings.length - MOST_SHOWN} more`))
  at("findings").replaceChildren(...items)
  const diagnostics = findings.slice(0, MOST_SHOWN).map(each => {
    const from = offset(each.line, each.column)
    return {
      from,
      to: Math.max(from, offset(each.end_line, each.end_column)),
      severity: each.severity,
      source: each.rule,
      message: each.help ? `${each.message}\n${each.help}` : each.message,
      actions: each.fixes.map(fix => ({ name: fix.message, apply: () => apply(fix) })),
    }
  })
  view.dispatch(setDiagnostics(view.state, diagnostics.sort((a, b) => a.from - b.from)))
}

function summary({ errors, warnings, info }) {
  const counts = [[errors, "error"], [warnings, "warning"], [info, "info"]].filter(([count]) => count)
  return counts.map(([count, what]) => `${count} ${what}${count > 1 && what !== "info" ? "s" : ""}`).join(", ") || "No problems found."
}

const VIEWS = {
  terminal: () => [["lint", ...profileOption(), "--output-format", "full", name()], own()],
  preview: () => [["preview", name()], own()],
  diff: () => [["diff", `before.${at("syntax").value}`, name()], { ...own(), [`before.${at("syntax").value}`]: at("old").value }],
  output: () => [["lint", ...profileOption(), "--output-format", at("output").value, name()], own()],
}

let isChecking = false
let isStale = false

/** Check the text, and once more if it has changed meanwhile. */
async function check() {
  if (!isReady) return
  if (isChecking) return void (isStale = true)
  isChecking = true
  do {
    isStale = false
    const about = shownText()
    const done = await manifest(["lint", ...profileOption(), "--output-format", "json", name()], own())
    const shows = VIEWS[at("view").value]
    const other = shows && !isStale ? await manifest(...shows()) : null
    if (about !== shownText()) continue
    document.body.dataset.findings = done.out
    let verdict
    try {
      const report = JSON.parse(done.out)
      show(report.findings)
      verdict = [summary(report.summary), report.summary.errors > 0]
    } catch {
      show([])
      verdict = [(done.err || done.out).trim(), true]
    }
    say(...(notice ?? verdict))
    if (other) at("text").textContent = other.out + other.err
  } while (isStale)
  isChecking = false
  document.body.dataset.state = "checked"
}

function changed() {
  if (linked !== null && JSON.stringify(state()) !== linked) {
    linked = null
    window.history.replaceState(null, "", location.pathname + location.search)
  }
  document.body.dataset.state = isReady ? "changed" : "loading"
  check()
}

function changedText() {
  notice = null
  at("example").value = examples.findIndex(each => each.text === shownText())
  changed()
}

/** Return why a command does not write the text anew. */
const refusal = done => (done.err || done.out).trim()

/** Return why Fix all changes nothing: every fix that is left has its own button. */
function leftToButtons(done) {
  const left = JSON.parse(done.out).findings.filter(each => each.fixes.length)
  if (left.length === 1) return "1 fix may lose something: apply it by its button"
  return left.length ? `${left.length} fixes may lose something: apply them one by one` : refusal(done)
}

/** Run a command that writes the text anew, and return what it says; nothing if it does not. */
async function rewrite(args, { made = (done, file) => done.files[file], to = at("syntax").value, why = refusal } = {}) {
  if (!isReady) return
  const before = shownText()
  const file = name()
  const done = await manifest(args, own())
  if (before !== shownText()) return
  const after = made(done, file)
  if (after === undefined || (done.code && after === text())) {
    document.body.dataset.state = "checked"
    return void say(why(done), true)
  }
  setText(after, to)
  return done
}

// -- links -----------------------------------------------------------------------------------------

async function through(stream, bytes, most = Infinity) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader()
  const parts = []
  let size = 0
  for (let each; !(each = await reader.read()).done; parts.push(each.value))
    if ((size += each.value.length) > most) throw new Error("too large")
  return new Uint8Array(await new Blob(parts).arrayBuffer())
}

const state = () => ({ text: text(), syntax: at("syntax").value, profile: at("profile").value, old: at("old").value, view: at("view").value })

async function shared() {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(state())))
  return base64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")
}

async function unpacked(fragment) {
  const bytes = Uint8Array.from(atob(fragment.replaceAll("-", "+").replaceAll("_", "/")), each => each.charCodeAt(0))
  return new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes, MOST_SHARED))
}

function open(packed) {
  const wanted = JSON.parse(packed)
  for (const each of ["text", "profile", "old"]) if (typeof wanted[each] !== "string") throw new Error("not a text")
  at("profile").value = wanted.profile
  at("old").value = wanted.old
  at("profile").closest("details").open = wanted.profile !== ""
  at("view").value = wanted.view in VIEWS ? wanted.view : "findings"
  chooseView()
  setText(wanted.text, wanted.syntax === "yaml" ? "yaml" : "json")
}

// -- the controls ----------------------------------------------------------------------------------

function chooseView() {
  const chosen = at("view").value
  at("findings").hidden = chosen !== "findings"
  at("text").hidden = chosen === "findings"
  at("formats").hidden = chosen !== "output"
  at("old-text").hidden = chosen !== "diff"
  changed()
}

at("view").onchange = chooseView
at("output").append(...FORMATS.map(each => element("option", each)))
at("output").onchange = changed
at("profile").oninput = changed
at("old").oninput = changed
at("syntax").onchange = () => {
  view.dispatch({ effects: syntax.reconfigure(languages[at("syntax").value]) })
  changed()
}
at("fix").onclick = () => rewrite(["lint", "--fix", ...profileOption(), "--output-format", "json", name()], { why: leftToButtons })
at("format").onclick = () => rewrite(["fmt", name()])
at("convert").onclick = async () => {
  const to = at("syntax").value === "json" ? "yaml" : "json"
  const done = await rewrite(["convert", name(), "--to", to], { made: done => (done.code ? undefined : done.out), to })
  if (done?.err) keep(done.err.trim())
}
at("undo").onclick = () => undo(view)
at("redo").onclick = () => redo(view)
at("share").onclick = async () => {
  const now = JSON.stringify(state())
  window.history.pushState(null, "", `#${await shared()}`)
  linked = now
  await navigator.clipboard?.writeText(location.href).catch(() => {})
  say("The link to this text is in the address bar. The text is in the link itself.")
}
at("file").onchange = async ({ target }) => {
  const [file] = target.files
  if (!file) return
  const bytes = new Uint8Array(await file.arrayBuffer())
  setText(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), /\.ya?ml$/.test(file.name) ? "yaml" : "json", bytes)
  target.value = ""
}
window.onhashchange = () => location.hash.length > 1 && openLink()

async function openLink() {
  linked = null
  try {
    open(await unpacked(location.hash.slice(1)))
    linked = JSON.stringify(state())
  } catch {
    linked = "" // a change replaces the broken link, too
    keep("This link cannot be read; it may have been cut short.", true)
  }
}

function openKept() {
  try {
    open(sessionStorage.getItem(KEPT))
  } catch {
    setText(examples[0].text) // nothing is kept, or the browser forbids it
  }
}

window.onpagehide = () => {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(state()))
  } catch {
    // too large, or the browser forbids it: the next page begins with the example
  }
}

at("example").append(
  element("option", "Your text", { value: -1, disabled: true, selected: true }),
  ...examples.map(({ title }, index) => element("option", title, { value: index }))
)
at("example").onchange = () => {
  const { text: chosen, syntax: wanted } = examples[at("example").value]
  setText(chosen, wanted)
}
if (location.hash.length > 1) await openLink()
else openKept()
startWorker()
