"""What a terminal shows while something runs: one line, which covers nothing and wraps nowhere."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import onefold
from screen import Screen, on_terminal

SOURCE = {"PYTHONPATH": str(Path(onefold.__file__).parents[1])}
ROW = '{"time": 1480586400000, "word": "' + "long " * 30 + '"}'
BALANCE = (
    "read 11 + produced 4 + copied 0 = written 4 + filtered 0 + quarantined 0 + late 0 + more 11"
)
SHOWING = f"""
import sys
import time

import click

from onefold.cli.progress import line

with line("starting", quiet=False) as shown:
    for n in range(3):
        shown.tell("how it stands: " + "many words " * 20)
        time.sleep(0.3)
        with shown.away():
            print({ROW!r}, flush=True)
        click.echo("said by a command, " * 8, err=True)
        print("said by a function, " * 8, file=sys.stderr)
        time.sleep(0.3)
print({BALANCE!r}, file=sys.stderr)
"""


@pytest.mark.parametrize("columns", [80, 120])
def test_rows_messages_and_what_comes_after_stand_whole_and_the_line_is_gone(
    columns: int, tmp_path: Path
) -> None:
    (tmp_path / "showing.py").write_text(SHOWING)
    command = [sys.executable, "showing.py"]
    code, seen, written = on_terminal(command, columns, env=SOURCE, cwd=tmp_path)
    said = [f"said by a {who}, " * 8 for who in ("command", "function")]
    assert code == 0
    assert seen.folded() == [*[ROW, *map(str.rstrip, said)] * 3, BALANCE]
    assert "how it stands: many words" in written


def test_a_line_that_is_longer_than_the_terminal_is_cut_off(tmp_path: Path) -> None:
    told = "from onefold.cli.progress import line\nwith line('many words ' * 20, quiet=False): pass"
    code, seen, written = on_terminal([sys.executable, "-c", told], 40, env=SOURCE, cwd=tmp_path)
    assert (code, seen.wrapped, seen.text()) == (0, set(), [])
    assert "⠋ many words many words many words many…" in written


def test_what_functions_print_stands_above_the_count(tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text(
        "import time\n"
        "import onefold as of\n"
        "def loud(t):\n"
        "    time.sleep(0.3)\n"
        "    print('seen', t.n)\n"
        "    return (t.n,)\n"
        "pipeline = of.source('s', 'n long').map(loud, 'n long')\n"
    )
    (tmp_path / "s.jsonl").write_text('{"time": 1, "n": 1}\n{"time": 2, "n": 2}\n')
    command = [sys.executable, "-m", "onefold", "run", "p.py:pipeline", "--input", "s=s.jsonl"]
    command += ["--output", "o.jsonl"]
    code, seen, written = on_terminal(command, 80, env=SOURCE, cwd=tmp_path)
    balance = "read 2 = written 2 + filtered 0 + quarantined 0 + late 0"
    assert (code, seen.text()) == (0, ["seen 1", "seen 2", balance])
    assert "tuples read" in written


def test_the_screen_wraps_and_erases_as_a_terminal_does() -> None:
    screen = Screen(4)
    screen.show("abcdef\r\nxyz\r\nuvw\x1b[1A\r\x1b[2Kg\n")
    assert screen.text() == ["abcd", "ef", "g", "uvw"]
    assert screen.folded() == ["abcdef", "g", "uvw"]
