"""The page's style: small, light and dark."""

from __future__ import annotations

from onefold.bench.report.ink import dark_looks, variables

DARK = {
    "--text": "#e4e7eb",
    "--faint": "#7d848e",
    "--grid": "#2d333b",
    "--paper": "#16191d",
    "--link": "#6cb6ff",
    "--good": "#4cc38a",
    "--bad": "#ff8170",
}
LIGHT = {"--link": "#0b5cad", "--good": "#11703c", "--bad": "#b42318"}

RULES = """
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--text);
 font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:1180px;margin:0 auto;padding:28px 28px 64px}
h1{font-size:28px;line-height:1.2;margin:0 0 10px}
h2{font-size:20px;margin:40px 0 10px}
h3{font-size:16px;margin:26px 0 8px}
p{max-width:86ch;margin:8px 0}
a{color:var(--link)}
nav{margin:14px 0 0;display:flex;flex-wrap:wrap;gap:4px 18px}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:4px 12px;text-align:left;border-bottom:1px solid var(--grid);vertical-align:top}
th{font-weight:600;white-space:nowrap}
thead th{border-bottom-color:var(--faint)}
td.number,th.number{text-align:right;white-space:nowrap}
td small{color:var(--muted);font-size:13px}
.wide{overflow-x:auto;max-width:100%}
code,pre{font-family:ui-monospace,"SF Mono",Consolas,"DejaVu Sans Mono",monospace;font-size:13px}
pre{padding:12px 14px;border:1px solid var(--grid);border-radius:6px;white-space:pre-wrap;
 overflow-wrap:anywhere}
.good{color:var(--good);font-weight:600}
.bad{color:var(--bad);font-weight:600}
figure{margin:18px 0 26px}
figure svg{display:block;width:100%;height:auto}
figure svg *{stroke-linejoin:round;stroke-linecap:butt}
figcaption,.muted{color:var(--muted);font-size:14px}
figcaption{margin-top:6px}
.pairs{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(500px,100%),1fr));
 gap:0 32px}
details{margin:10px 0}
summary{cursor:pointer;color:var(--link)}
.runs{font-size:13px}
.runs th,.runs td{padding:2px 9px;white-space:nowrap}
@media (max-width:760px){main{padding:18px 14px 40px}}
@media print{details>*{display:block}}
"""


def sheet() -> str:
    """Return the style: the figures' colours by name, twice, then the rules."""
    light = {name: colour for colour, name in variables().items()} | LIGHT
    dark = dark_looks() | DARK
    return (
        f":root{{color-scheme:light dark;--muted:#5a616b;{_declared(light)}}}\n"
        f"@media (prefers-color-scheme:dark){{:root{{--muted:#a2a9b3;{_declared(dark)}}}}}{RULES}"
    )


def _declared(colours: dict[str, str]) -> str:
    return "".join(f"{name}:{colour};" for name, colour in colours.items())
