import type { Html } from "./html.ts";

/** One file, no outside resource: it can be mailed, attached to a ticket, or opened years later. */
export const PAGE_STYLE: Html = {
  markup: `<style>
:root { color-scheme: light dark;
  --paper: #fff; --raised: #f7f7f5; --line: #e2e1dc; --ink: #1d1d1b; --soft: #63625c; --link: #1f5fae;
  --good: #1c7a45; --good-pale: #e5f3ea; --bad: #b3261e; --bad-pale: #fbeae8; --warning: #8a5a00; --warning-pale: #fbf1dc;
  --busy: #2b66b8; --busy-pale: #e6eefa; --quiet: #8b8a84; --work: #5b8fd6; --verify: #9a86d8; --merge: #7cc19a; --failed: #d9655c; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #161615; --raised: #1f1f1d; --line: #34332f; --ink: #ecebe6; --soft: #a3a29a; --link: #84b4f0;
  --good: #6cc58f; --good-pale: #17301f; --bad: #f0887f; --bad-pale: #3a1b18; --warning: #e0b354; --warning-pale: #33280f;
  --busy: #84b4f0; --busy-pale: #182740; --quiet: #84837c; --work: #4577bd; --verify: #7a67bd; --merge: #3f8f62; --failed: #b94a42; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 40px 24px 72px; }
h1 { font-size: 28px; line-height: 1.2; margin: 10px 0 6px; letter-spacing: -0.01em; overflow-wrap: anywhere; text-wrap: balance; }
h2 { font-size: 18px; margin: 44px 0 12px; letter-spacing: -0.005em; }
h3 { font-size: 15px; margin: 0; overflow-wrap: anywhere; }
p { margin: 0 0 10px; max-width: 84ch; }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
code, pre, .mono { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 0.9em; }
code { overflow-wrap: anywhere; }
pre { margin: 8px 0 0; padding: 10px 12px; background: var(--raised); border: 1px solid var(--line); border-radius: 6px; overflow: auto; max-height: 420px; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 12.5px; line-height: 1.5; }
.soft { color: var(--soft); } .eyebrow { color: var(--soft); font-size: 13px; margin: 0; }
.badge { display: inline-block; padding: 1px 9px; border-radius: 999px; font-size: 13px; font-weight: 600; white-space: nowrap; }
.good { color: var(--good); } .bad, .faded-bad { color: var(--bad); } .warning { color: var(--warning); } .busy, .queued { color: var(--busy); } .quiet { color: var(--soft); }
.badge.good { background: var(--good-pale); } .badge.bad, .badge.faded-bad { background: var(--bad-pale); } .badge.warning { background: var(--warning-pale); } .badge.busy, .badge.queued { background: var(--busy-pale); } .badge.quiet, .badge.plain { background: var(--raised); }
.facts { display: flex; flex-wrap: wrap; gap: 1px; margin: 22px 0 0; padding: 0; background: var(--line); border: 1px solid var(--line); border-radius: 8px; overflow: hidden; }
.facts div { flex: 1 1 140px; background: var(--paper); padding: 10px 14px; } .facts dt { color: var(--soft); font-size: 12.5px; } .facts dd { margin: 0; font-weight: 600; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--paper); }
.scroll svg { display: block; }
table { border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 500; color: var(--soft); font-size: 12.5px; padding: 9px 12px; border-bottom: 1px solid var(--line); white-space: nowrap; }
td { padding: 9px 12px; border-bottom: 1px solid var(--line); vertical-align: top; } tr:last-child td { border-bottom: 0; }
td.number, th.number { text-align: right; white-space: nowrap; } td.tight { white-space: nowrap; } .stages td:first-child { min-width: 190px; }
.stage { border: 1px solid var(--line); border-radius: 8px; margin: 0 0 14px; padding: 16px 18px 6px; scroll-margin-top: 16px; }
.stage > header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 12px; margin-bottom: 8px; } .stage > header .badge { margin-left: auto; }
.stage:target { border-color: var(--busy); }
.attempt { border-top: 1px solid var(--line); margin: 12px -18px 0; padding: 10px 18px; }
.attempt > p { margin: 0 0 4px; font-size: 14px; } .attempt > p:last-child { margin-bottom: 0; }
ul.checks { list-style: none; margin: 4px 0 0; padding: 0; } ul.checks li { padding: 4px 0 4px 22px; position: relative; font-size: 14px; } ul.checks .sign { position: absolute; left: 2px; font-weight: 700; }
details > summary { cursor: pointer; color: var(--soft); font-size: 13px; width: fit-content; } details > summary:hover { color: var(--ink); }
details.wide > summary { font-size: 14px; padding: 6px 0; } details.wide { margin-bottom: 6px; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; color: var(--soft); font-size: 13px; margin: 10px 0 0; padding: 0; list-style: none; } .legend i { display: inline-block; width: 12px; height: 12px; border-radius: 3px; margin-right: 6px; vertical-align: -1px; }
.legend .work { background: var(--work); } .legend .verify { background: var(--verify); } .legend .merge { background: var(--merge); } .legend .failed { background: var(--failed); }
svg text { font: 12.5px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: var(--ink); } svg .mono { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 12px; } svg text.soft { fill: var(--soft); font-size: 11.5px; }
svg .node rect { fill: var(--paper); stroke: var(--line); stroke-width: 1.25; } svg a:hover .node rect { stroke: var(--soft); }
svg .node .mark { fill: var(--quiet); font-weight: 700; } svg .node.good .mark { fill: var(--good); } svg .node.bad .mark, svg .node.faded-bad .mark { fill: var(--bad); } svg .node.warning .mark { fill: var(--warning); } svg .node.busy .mark, svg .node.queued .mark { fill: var(--busy); }
svg .node.bad rect { stroke: var(--bad); } svg .edge { fill: none; stroke: var(--quiet); stroke-width: 1.25; } svg .tip { fill: var(--quiet); }
svg .grid { stroke: var(--line); stroke-width: 1; } svg .work { fill: var(--work); } svg .verify { fill: var(--verify); } svg .merge { fill: var(--merge); } svg .failed { fill: var(--failed); }
footer { margin-top: 48px; color: var(--soft); font-size: 13px; }
@media (max-width: 640px) { main { padding: 24px 14px 48px; } h1 { font-size: 23px; } h2 { margin-top: 34px; } .stage { padding: 14px 14px 4px; } .attempt { margin: 10px -14px 0; padding: 10px 14px; } .stage > header .badge { margin-left: 0; } }
@media print { main { max-width: none; padding: 0; } .stage { break-inside: avoid; } }
</style>`,
};
